# Who may do what with the file systems. Root of a client is nobody here, and nobody mounts without an
# access point: those of homes act as their owner, whoever asks, and make the home when it is first mounted.
resource "aws_efs_access_point" "this" {
  for_each = var.access_points

  file_system_id = aws_efs_file_system.this[each.value.filesystem].id

  dynamic "posix_user" {
    for_each = each.value.as ? [each.value.owner] : []

    content {
      uid = posix_user.value.uid
      gid = posix_user.value.gid
    }
  }

  root_directory {
    path = each.value.path

    creation_info {
      owner_uid   = each.value.owner.uid
      owner_gid   = each.value.owner.gid
      permissions = each.value.mode
    }
  }

  tags = { Name = each.key }
}

data "aws_iam_policy_document" "clients" {
  for_each = var.filesystems

  statement {
    sid       = "OnlyOverTls"
    effect    = "Deny"
    actions   = ["elasticfilesystem:Client*"]
    resources = [aws_efs_file_system.this[each.key].arn]

    principals {
      type        = "AWS"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }

  statement {
    sid       = "NobodyIsRoot"
    effect    = "Deny"
    actions   = ["elasticfilesystem:ClientRootAccess"]
    resources = [aws_efs_file_system.this[each.key].arn]

    principals {
      type        = "AWS"
      identifiers = ["*"]
    }
  }

  # Once there is a policy, who isn't named in it may not mount; without one, everybody may.
  dynamic "statement" {
    for_each = length(var.client_roles) > 0 ? [var.client_roles] : []

    content {
      sid       = "HostsByAccessPoint"
      actions   = ["elasticfilesystem:ClientMount", "elasticfilesystem:ClientWrite"]
      resources = [aws_efs_file_system.this[each.key].arn]

      principals {
        type        = "AWS"
        identifiers = statement.value
      }

      condition {
        test     = "Bool"
        variable = "elasticfilesystem:AccessedViaMountTarget"
        values   = ["true"]
      }

      condition {
        test     = "StringLike"
        variable = "elasticfilesystem:AccessPointArn"
        values   = ["${replace(aws_efs_file_system.this[each.key].arn, "/file-system\\/.*/", "access-point")}/*"]
      }
    }
  }
}

resource "aws_efs_file_system_policy" "this" {
  for_each = var.filesystems

  file_system_id = aws_efs_file_system.this[each.key].id
  policy         = data.aws_iam_policy_document.clients[each.key].json
}
