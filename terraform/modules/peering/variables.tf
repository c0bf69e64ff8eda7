variable "name" {
  description = "Name tag of the connection on both sides."
  type        = string
}

variable "requester" {
  description = "The VPC that asks, with its range and its route tables by name."
  type = object({
    vpc_id          = string
    range           = string
    route_table_ids = map(string)
  })
}

variable "accepter" {
  description = "The VPC that accepts, with its region, its range and its route tables by name."
  type = object({
    vpc_id          = string
    region          = string
    range           = string
    route_table_ids = map(string)
  })
}
