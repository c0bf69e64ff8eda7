variable "vpc_id" {
  description = "The cluster's VPC."
  type        = string
}

variable "subnet_ids" {
  description = "Subnets by zone; every file system gets a mount target in each."
  type        = map(string)
}

variable "client_ranges" {
  description = "Ranges whose hosts may mount the file systems."
  type        = list(string)
}

variable "security_group_name" {
  description = "Name of the mount targets' security group."
  type        = string
}

variable "filesystems" {
  description = "EFS file systems by mount name. Files nobody read for `archive_after_days` move to infrequent access, and back when read; 0 keeps all where it is."
  type = map(object({
    name               = string
    throughput         = string
    archive_after_days = number
  }))
}

variable "buckets" {
  description = "S3 buckets by purpose. Overwritten and deleted objects are kept for `keep_versions_days`."
  type = map(object({
    name               = string
    keep_versions_days = number
  }))
}

variable "access_points" {
  description = "What hosts mount, by the name under which they find it: a `path` of a file system that is made for its `owner`. With `as`, whoever mounts it acts as the owner."
  type = map(object({
    filesystem = string
    path       = string
    owner = object({
      uid = number
      gid = number
    })
    mode = string
    as   = bool
  }))
}

variable "client_roles" {
  description = "ARNs of the roles whose hosts may mount the file systems."
  type        = list(string)
}
