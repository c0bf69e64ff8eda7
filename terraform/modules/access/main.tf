locals {
  # Each range has a rule of its own, so that adding one touches no other.
  open = {
    for pair in flatten([
      for role, host in var.hosts : [for range in host.open.from : { role = role, range = range }]
    ]) : "${pair.role} ${pair.range}" => pair
  }

  behind_bastion = { for role, host in var.hosts : role => host if role != "bastion" }

  client_routes = {
    for pair in setproduct(keys(var.route_table_ids), keys(var.hosts)) :
    "${pair[1]} ${pair[0]}" => { table = pair[0], role = pair[1] }
    if var.hosts[pair[1]].clients != null
  }
}

resource "aws_security_group" "this" {
  for_each = var.hosts

  name        = each.value.security_group
  description = "The ${each.key} host"
  vpc_id      = var.vpc_id

  tags = { Name = each.value.security_group }
}

resource "aws_vpc_security_group_ingress_rule" "open" {
  #checkov:skip=CKV_AWS_24:The fleet file says from where SSH is open; a bastion takes keys only.
  for_each = local.open

  security_group_id = aws_security_group.this[each.value.role].id
  description       = "The service itself"
  cidr_ipv4         = each.value.range
  ip_protocol       = var.hosts[each.value.role].open.protocol
  from_port         = var.hosts[each.value.role].open.port
  to_port           = var.hosts[each.value.role].open.port
}

resource "aws_vpc_security_group_ingress_rule" "ssh" {
  #checkov:skip=CKV_AWS_24:Open to the bastion's security group only; checkov takes the range that isn't there for any.
  for_each = local.behind_bastion

  security_group_id            = aws_security_group.this[each.key].id
  description                  = "SSH from the bastion"
  referenced_security_group_id = aws_security_group.this["bastion"].id
  ip_protocol                  = "tcp"
  from_port                    = 22
  to_port                      = 22
}

resource "aws_vpc_security_group_egress_rule" "all" {
  for_each = var.hosts

  security_group_id = aws_security_group.this[each.key].id
  description       = "Hosts and packages"
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}

resource "aws_instance" "this" {
  #checkov:skip=CKV_AWS_126:Metrics every five minutes are enough for a host that only passes traffic on.
  for_each = var.hosts

  ami                    = each.value.image.id
  instance_type          = each.value.instance_type
  subnet_id              = each.value.subnet_id
  key_name               = var.key_name
  vpc_security_group_ids = [aws_security_group.this[each.key].id]
  iam_instance_profile   = aws_iam_instance_profile.this[each.key].name
  ebs_optimized          = true

  # A host that forwards its clients' packets sends with their addresses.
  source_dest_check = each.value.clients == null

  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  root_block_device {
    volume_type = "gp3"
    volume_size = 20
    encrypted   = true

    tags = { Name = each.value.name }
  }

  tags = { Name = each.value.name, role = each.key }

  # A vendor's new image every other week must not replace the door behind which people work.
  # `terraform apply -replace` does it when the operator wants it.
  lifecycle {
    ignore_changes = [ami]
  }
}

resource "aws_eip" "this" {
  for_each = var.hosts

  domain = "vpc"

  tags = { Name = each.value.name }
}

resource "aws_eip_association" "this" {
  for_each = var.hosts

  allocation_id = aws_eip.this[each.key].id
  instance_id   = aws_instance.this[each.key].id
}

resource "aws_route" "clients" {
  for_each = local.client_routes

  route_table_id         = var.route_table_ids[each.value.table]
  destination_cidr_block = var.hosts[each.value.role].clients
  network_interface_id   = aws_instance.this[each.value.role].primary_network_interface_id
}
