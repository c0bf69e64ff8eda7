output "vpc_id" {
  description = "The VPC."
  value       = aws_vpc.this.id
}

output "public_subnet_ids" {
  description = "Public subnets by zone; known once they reach the internet."
  value       = { for zone, subnet in aws_subnet.public : zone => subnet.id }

  depends_on = [aws_route.internet, aws_route_table_association.public]
}

output "private_subnet_ids" {
  description = "Private subnets by zone; known once they have their routes."
  value       = { for zone, subnet in aws_subnet.private : zone => subnet.id }

  depends_on = [aws_route.nat, aws_route_table_association.private, aws_vpc_endpoint.s3]
}

output "route_table_ids" {
  description = "Every route table: `public`, and the private ones by zone. Peering adds its routes to all."
  value = merge(
    { public = aws_route_table.public.id },
    { for zone, table in aws_route_table.private : zone => table.id },
  )
}

output "nat_addresses" {
  description = "The elastic addresses that private hosts are seen by outside, by zone."
  value       = { for zone, address in aws_eip.nat : zone => address.public_ip }
}
