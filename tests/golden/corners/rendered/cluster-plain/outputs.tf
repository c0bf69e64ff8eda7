output "vpc_id" {
  description = "The cluster's VPC."
  value       = module.network.vpc_id
}

output "vpc_range" {
  description = "The VPC's address range."
  value       = "10.1.0.0/16"
}

output "public_subnet_ids" {
  description = "Public subnets by zone."
  value       = module.network.public_subnet_ids
}

output "private_subnet_ids" {
  description = "Private subnets by zone."
  value       = module.network.private_subnet_ids
}

output "route_table_ids" {
  description = "Route tables: `public`, and the private ones by zone."
  value       = module.network.route_table_ids
}

output "nat_addresses" {
  description = "The addresses that private hosts are seen by outside, by zone."
  value       = module.network.nat_addresses
}

output "bastion_address" {
  description = "Where SSH enters the cluster."
  value       = module.access.addresses["bastion"]
}

output "vpn_address" {
  description = "Where the laptops' VPN enters the cluster; null where there is none."
  value       = lookup(module.access.addresses, "vpn", null)
}

output "zone" {
  description = "Name of the cluster's zones, public and private."
  value       = "plain.corners.example.org"
}

output "public_zone_id" {
  description = "The zone the world sees."
  value       = module.dns.public_zone_id
}

output "private_zone_id" {
  description = "The zone the fleet sees."
  value       = module.dns.private_zone_id
}

output "name_servers" {
  description = "Name servers of the public zone, for its delegation."
  value       = module.dns.name_servers
}

output "filesystem_ids" {
  description = "EFS file systems by mount name."
  value       = module.storage.filesystem_ids
}

output "bucket_names" {
  description = "S3 buckets by purpose."
  value       = module.storage.bucket_names
}

output "node_groups" {
  description = "Auto scaling groups by node group."

  value = {}
}
