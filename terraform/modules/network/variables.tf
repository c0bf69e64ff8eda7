variable "names" {
  description = "Name tags of what the whole VPC shares."
  type = object({
    vpc                = string
    internet_gateway   = string
    public_route_table = string
    s3_endpoint        = string
  })
}

variable "region" {
  description = "The AWS region the VPC is in; part of the S3 endpoint's service name."
  type        = string
}

variable "range" {
  description = "The VPC's address range, in CIDR notation."
  type        = string
}

variable "zones" {
  description = "The availability zones, each with its Name tags and its public and private range. With `nat = \"single\"` the first one holds the gateway, so keep their order."
  type = list(object({
    zone         = string
    nat_name     = string
    table_name   = string
    public_name  = string
    public       = string
    private_name = string
    private      = string
  }))

  validation {
    condition     = length(var.zones) > 0
    error_message = "A network needs at least one zone."
  }
}

variable "nat" {
  description = "How private subnets reach the internet: a NAT gateway per zone, a single one that all zones share, or none."
  type        = string

  validation {
    condition     = contains(["per-zone", "single", "none"], var.nat)
    error_message = "nat is one of per-zone, single, none."
  }
}
