locals {
  zones = { for zone in var.zones : zone.zone => zone }

  nat_zones = {
    per-zone = keys(local.zones)
    single   = [var.zones[0].zone]
    none     = []
  }[var.nat]

  # Which gateway serves a zone: its own, or the only one there is.
  nat_of = {
    for zone in keys(local.zones) : zone => contains(local.nat_zones, zone) ? zone : local.nat_zones[0]
    if var.nat != "none"
  }
}

resource "aws_vpc" "this" {
  #checkov:skip=CKV2_AWS_11:Flow logs are switched on per investigation. All-reduce between a thousand GPUs would fill them with what nobody reads, at a price per GB.
  cidr_block           = var.range
  enable_dns_support   = true
  enable_dns_hostnames = true

  tags = { Name = var.names.vpc }
}

# Nothing may use it: without rules, a host that was given no group can talk to nobody.
resource "aws_default_security_group" "locked" {
  vpc_id = aws_vpc.this.id

  tags = { Name = "${var.names.vpc}-default-locked" }
}

resource "aws_internet_gateway" "this" {
  vpc_id = aws_vpc.this.id

  tags = { Name = var.names.internet_gateway }
}

resource "aws_subnet" "public" {
  for_each = local.zones

  vpc_id                  = aws_vpc.this.id
  availability_zone       = each.key
  cidr_block              = each.value.public
  map_public_ip_on_launch = false

  tags = { Name = each.value.public_name }
}

resource "aws_subnet" "private" {
  for_each = local.zones

  vpc_id                  = aws_vpc.this.id
  availability_zone       = each.key
  cidr_block              = each.value.private
  map_public_ip_on_launch = false

  tags = { Name = each.value.private_name }
}

resource "aws_route_table" "public" {
  vpc_id = aws_vpc.this.id

  tags = { Name = var.names.public_route_table }
}

resource "aws_route_table_association" "public" {
  for_each = local.zones

  subnet_id      = aws_subnet.public[each.key].id
  route_table_id = aws_route_table.public.id
}

resource "aws_route" "internet" {
  route_table_id         = aws_route_table.public.id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.this.id
}

resource "aws_route_table" "private" {
  for_each = local.zones

  vpc_id = aws_vpc.this.id

  tags = { Name = each.value.table_name }
}

resource "aws_route_table_association" "private" {
  for_each = local.zones

  subnet_id      = aws_subnet.private[each.key].id
  route_table_id = aws_route_table.private[each.key].id
}

resource "aws_eip" "nat" {
  for_each = toset(local.nat_zones)

  domain = "vpc"

  tags = { Name = local.zones[each.key].nat_name }

  # An address can be taken only where the VPC has a way out.
  depends_on = [aws_internet_gateway.this]
}

resource "aws_nat_gateway" "this" {
  for_each = toset(local.nat_zones)

  allocation_id = aws_eip.nat[each.key].id
  subnet_id     = aws_subnet.public[each.key].id

  tags = { Name = local.zones[each.key].nat_name }
}

resource "aws_route" "nat" {
  for_each = local.nat_of

  route_table_id         = aws_route_table.private[each.key].id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = aws_nat_gateway.this[each.value].id
}

# Data sets and checkpoints go to S3 without paying the NAT gateway for every gigabyte.
resource "aws_vpc_endpoint" "s3" {
  vpc_id            = aws_vpc.this.id
  service_name      = "com.amazonaws.${var.region}.s3"
  vpc_endpoint_type = "Gateway"
  route_table_ids   = concat([aws_route_table.public.id], values(aws_route_table.private)[*].id)

  tags = { Name = var.names.s3_endpoint }
}
