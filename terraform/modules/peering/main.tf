resource "aws_vpc_peering_connection" "this" {
  provider = aws.requester

  vpc_id      = var.requester.vpc_id
  peer_vpc_id = var.accepter.vpc_id
  peer_region = var.accepter.region

  tags = { Name = var.name }
}

resource "aws_vpc_peering_connection_accepter" "this" {
  provider = aws.accepter

  vpc_peering_connection_id = aws_vpc_peering_connection.this.id
  auto_accept               = true

  tags = { Name = var.name }
}

# Host names of the other side resolve to their private addresses. Each side says so for itself, and
# only once the connection is active.
resource "aws_vpc_peering_connection_options" "requester" {
  provider = aws.requester

  vpc_peering_connection_id = aws_vpc_peering_connection_accepter.this.id

  requester {
    allow_remote_vpc_dns_resolution = true
  }
}

resource "aws_vpc_peering_connection_options" "accepter" {
  provider = aws.accepter

  vpc_peering_connection_id = aws_vpc_peering_connection_accepter.this.id

  accepter {
    allow_remote_vpc_dns_resolution = true
  }
}

resource "aws_route" "requester" {
  provider = aws.requester
  for_each = var.requester.route_table_ids

  route_table_id            = each.value
  destination_cidr_block    = var.accepter.range
  vpc_peering_connection_id = aws_vpc_peering_connection_accepter.this.id
}

resource "aws_route" "accepter" {
  provider = aws.accepter
  for_each = var.accepter.route_table_ids

  route_table_id            = each.value
  destination_cidr_block    = var.requester.range
  vpc_peering_connection_id = aws_vpc_peering_connection_accepter.this.id
}
