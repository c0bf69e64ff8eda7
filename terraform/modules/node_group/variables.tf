variable "names" {
  description = "What AWS shall call the parts of the group; `host` is the Name tag of its instances."
  type = object({
    group           = string
    launch_template = string
    role            = string
    security_group  = string
    host            = string
  })
}

variable "vpc_id" {
  description = "The cluster's VPC."
  type        = string
}

variable "subnet_ids" {
  description = "The subnets that instances may start in."
  type        = list(string)
}

variable "internal_ranges" {
  description = "Ranges whose hosts may open connections to the group: clusters, sites, VPN clients, pods."
  type        = list(string)
}

variable "image" {
  description = "The AMI, and the name of its root device."
  type = object({
    id          = string
    root_device = string
  })
}

variable "key_name" {
  description = "The EC2 key pair that the first login uses."
  type        = string
}

variable "instance_types" {
  description = "Instance types in order of preference, alike in CPUs, memory and GPUs."
  type        = list(string)
}

variable "capacity" {
  description = "How instances are bought: on-demand, spot, or mixed (half and half above the base)."
  type        = string

  validation {
    condition     = contains(["on-demand", "spot", "mixed"], var.capacity)
    error_message = "capacity is one of on-demand, spot, mixed."
  }
}

variable "on_demand_base" {
  description = "How many instances are always on-demand before spot is bought at all."
  type        = number
}

variable "size" {
  description = "Fewest and most instances. How many there are between is the autoscaler's to say."
  type = object({
    min = number
    max = number
  })
}

variable "disk_gb" {
  description = "Size of the root disk in GiB."
  type        = number
}

variable "bucket_names" {
  description = "S3 buckets whose objects the instances may read, write and delete."
  type        = list(string)
}

variable "permissions_boundary" {
  description = "ARN of the policy that caps what the instances' role may ever do."
  type        = string
}

variable "tags" {
  description = "Tags of the group, its instances and their disks; the provider's default tags reach neither."
  type        = map(string)
}

variable "autoscaler_tags" {
  description = "Tags of the group alone, by which the cluster autoscaler finds it and knows its hosts before there is one."
  type        = map(string)
}
