output "zone_id" {
  description = "The parent zone of the clusters' zones."
  value       = aws_route53_zone.parent.zone_id
}

output "name_servers" {
  description = "What the domain's registrar must be told."
  value       = aws_route53_zone.parent.name_servers
}

output "permissions_boundary" {
  description = "ARN of the policy that caps every host's role."
  value       = aws_iam_policy.boundary.arn
}
