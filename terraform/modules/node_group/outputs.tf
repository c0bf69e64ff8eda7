output "name" {
  description = "The auto scaling group's name."
  value       = aws_autoscaling_group.this.name
}

output "role_arn" {
  description = "The role of the group's instances."
  value       = aws_iam_role.this.arn
}

output "security_group_id" {
  description = "The security group of the group's instances."
  value       = aws_security_group.this.id
}
