resource "aws_route53_zone" "public" {
  #checkov:skip=CKV2_AWS_38:Holds the addresses of two doors that prove who they are by key and certificate, not by name.
  #checkov:skip=CKV2_AWS_39:Query logs of two names tell nothing that the doors' own logs don't.
  name    = var.zone
  comment = "Doors of the cluster"
}

resource "aws_route53_zone" "private" {
  name    = var.zone
  comment = "Hosts and services of the cluster"

  vpc {
    vpc_id = var.vpc_id
  }

  # The other clusters' VPCs are associated by mesh.
  lifecycle {
    ignore_changes = [vpc]
  }
}

resource "aws_route53_record" "public" {
  #checkov:skip=CKV2_AWS_23:Points at a host of the module access, which checkov does not follow through a variable.
  for_each = var.public_addresses

  zone_id = aws_route53_zone.public.zone_id
  name    = each.key
  type    = "A"
  ttl     = 60
  records = [each.value]
}

# The private zone hides the public one inside the VPC, so it answers for the same hosts.
resource "aws_route53_record" "private" {
  #checkov:skip=CKV2_AWS_23:Points at a host of the module access, which checkov does not follow through a variable.
  for_each = var.private_addresses

  zone_id = aws_route53_zone.private.zone_id
  name    = each.key
  type    = "A"
  ttl     = 60
  records = [each.value]
}

resource "aws_route53_record" "text" {
  for_each = var.private_texts

  zone_id = aws_route53_zone.private.zone_id
  name    = each.key
  type    = "TXT"
  ttl     = 60
  records = [each.value]
}

resource "aws_route53_record" "alias" {
  for_each = var.private_aliases

  zone_id = aws_route53_zone.private.zone_id
  name    = each.key
  type    = "CNAME"
  ttl     = 300
  records = [each.value]
}
