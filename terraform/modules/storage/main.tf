locals {
  mount_targets = {
    for pair in setproduct(keys(var.filesystems), keys(var.subnet_ids)) :
    "${pair[0]} ${pair[1]}" => { filesystem = pair[0], zone = pair[1] }
  }
}

resource "aws_efs_file_system" "this" {
  #checkov:skip=CKV_AWS_184:Encrypted with the account's EFS key; a key of our own is one more thing whose loss takes everybody's home with it.
  for_each = var.filesystems

  creation_token  = each.value.name
  encrypted       = true
  throughput_mode = each.value.throughput

  dynamic "lifecycle_policy" {
    for_each = each.value.archive_after_days > 0 ? [each.value.archive_after_days] : []

    content {
      transition_to_ia = "AFTER_${lifecycle_policy.value}_DAYS"
    }
  }

  dynamic "lifecycle_policy" {
    for_each = each.value.archive_after_days > 0 ? ["AFTER_1_ACCESS"] : []

    content {
      transition_to_primary_storage_class = lifecycle_policy.value
    }
  }

  tags = { Name = each.value.name }
}

resource "aws_efs_backup_policy" "this" {
  for_each = var.filesystems

  file_system_id = aws_efs_file_system.this[each.key].id

  backup_policy {
    status = "ENABLED"
  }
}

resource "aws_security_group" "nfs" {
  count = length(var.filesystems) > 0 ? 1 : 0

  name        = var.security_group_name
  description = "Mount targets of the file systems"
  vpc_id      = var.vpc_id

  tags = { Name = var.security_group_name }
}

# A mount target only answers, so it has no rule outward.
resource "aws_vpc_security_group_ingress_rule" "nfs" {
  for_each = length(var.filesystems) > 0 ? toset(var.client_ranges) : []

  security_group_id = aws_security_group.nfs[0].id
  description       = "NFS"
  cidr_ipv4         = each.key
  ip_protocol       = "tcp"
  from_port         = 2049
  to_port           = 2049
}

resource "aws_efs_mount_target" "this" {
  for_each = local.mount_targets

  file_system_id  = aws_efs_file_system.this[each.value.filesystem].id
  subnet_id       = var.subnet_ids[each.value.zone]
  security_groups = [aws_security_group.nfs[0].id]
}
