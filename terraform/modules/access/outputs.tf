output "addresses" {
  description = "Elastic addresses by role."
  value       = { for role, address in aws_eip.this : role => address.public_ip }
}

output "private_addresses" {
  description = "Addresses inside the VPC by role."
  value       = { for role, host in aws_instance.this : role => host.private_ip }
}

output "instance_ids" {
  description = "EC2 instances by role."
  value       = { for role, host in aws_instance.this : role => host.id }
}

output "security_group_ids" {
  description = "Security groups by role."
  value       = { for role, group in aws_security_group.this : role => group.id }
}
