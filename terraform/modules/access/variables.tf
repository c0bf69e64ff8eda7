variable "vpc_id" {
  description = "The cluster's VPC."
  type        = string
}

variable "key_name" {
  description = "The EC2 key pair that the first login uses."
  type        = string
}

variable "permissions_boundary" {
  description = "ARN of the policy that caps what the hosts' roles may ever do."
  type        = string
}

variable "route_table_ids" {
  description = "The VPC's route tables by name; each gets a route to the VPN's clients."
  type        = map(string)
}

variable "hosts" {
  description = "The cluster's doors by role: `bastion`, always, and `vpn` where there is one. `open` is what the world may reach; SSH to every host but the bastion goes through the bastion. `clients` is the range of addresses behind a host that forwards packets."
  type = map(object({
    name           = string
    security_group = string
    role           = string
    instance_type  = string
    subnet_id      = string
    image = object({
      id          = string
      root_device = string
    })
    open = object({
      protocol = string
      port     = number
      from     = list(string)
    })
    clients = optional(string)
  }))

  validation {
    condition     = contains(keys(var.hosts), "bastion")
    error_message = "A cluster without a bastion cannot be reached."
  }
}
