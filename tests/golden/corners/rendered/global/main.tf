# What the account has once, before any cluster.

data "aws_partition" "current" {}

# Clusters' zones are delegated from here by the stack mesh.
resource "aws_route53_zone" "parent" {
  #checkov:skip=CKV2_AWS_38:Delegates the clusters' zones; their doors prove who they are by key and certificate, not by name.
  #checkov:skip=CKV2_AWS_39:Query logs of delegations tell nothing that the doors' own logs don't.
  name    = "corners.example.org"
  comment = "Parent of the clusters' zones"
}

resource "aws_s3_account_public_access_block" "this" {
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

# The most that any host of ours may ever be allowed; its role grants part of it.
data "aws_iam_policy_document" "boundary" {
  statement {
    sid = "Data"
    actions = [
      "s3:AbortMultipartUpload",
      "s3:DeleteObject",
      "s3:GetBucketLocation",
      "s3:GetObject",
      "s3:ListBucket",
      "s3:ListBucketMultipartUploads",
      "s3:ListMultipartUploadParts",
      "s3:PutObject",
    ]
    resources = [
      "arn:${data.aws_partition.current.partition}:s3:::corner-laboratory*",
    ]
  }

  statement {
    sid = "FileSystems"
    actions = [
      "elasticfilesystem:ClientMount",
      "elasticfilesystem:ClientWrite",
    ]
    resources = [
      "arn:${data.aws_partition.current.partition}:elasticfilesystem:*:210987654321:file-system/*",
    ]
  }

  statement {
    sid       = "NeverTheState"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [for end in ["", "/*"] : "arn:${data.aws_partition.current.partition}:s3:::corner-laboratory-terraform-state-210987654321${end}"]
  }
}

resource "aws_iam_policy" "boundary" {
  name        = "corner-laboratory-node-boundary"
  description = "Permissions boundary of every host's role"
  policy      = data.aws_iam_policy_document.boundary.json
}
