data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}

# No policy: a door needs an identity to be recognised by, and no right.
resource "aws_iam_role" "this" {
  for_each = var.hosts

  name                 = each.value.role
  description          = "The ${each.key} host"
  assume_role_policy   = data.aws_iam_policy_document.assume.json
  permissions_boundary = var.permissions_boundary
}

resource "aws_iam_instance_profile" "this" {
  for_each = var.hosts

  name = each.value.role
  role = aws_iam_role.this[each.key].name
}
