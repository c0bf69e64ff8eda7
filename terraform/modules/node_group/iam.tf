data "aws_partition" "current" {}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "this" {
  name                 = var.names.role
  description          = "Hosts of ${var.names.group}"
  assume_role_policy   = data.aws_iam_policy_document.assume.json
  permissions_boundary = var.permissions_boundary
}

resource "aws_iam_instance_profile" "this" {
  name = var.names.role
  role = aws_iam_role.this.name
}

# Deleting an object leaves its versions; removing those is nobody's on a host.
data "aws_iam_policy_document" "data" {
  count = length(var.bucket_names) > 0 ? 1 : 0

  statement {
    sid       = "Find"
    actions   = ["s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketMultipartUploads"]
    resources = [for name in var.bucket_names : "arn:${data.aws_partition.current.partition}:s3:::${name}"]
  }

  statement {
    sid = "ReadAndWrite"
    actions = [
      "s3:AbortMultipartUpload",
      "s3:DeleteObject",
      "s3:GetObject",
      "s3:ListMultipartUploadParts",
      "s3:PutObject",
    ]
    resources = [for name in var.bucket_names : "arn:${data.aws_partition.current.partition}:s3:::${name}/*"]
  }
}

resource "aws_iam_role_policy" "data" {
  count = length(var.bucket_names) > 0 ? 1 : 0

  name   = "data"
  role   = aws_iam_role.this.id
  policy = data.aws_iam_policy_document.data[0].json
}
