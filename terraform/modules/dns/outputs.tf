output "public_zone_id" {
  description = "The zone the world sees."
  value       = aws_route53_zone.public.zone_id
}

output "name_servers" {
  description = "Name servers of the public zone, for its delegation."
  value       = aws_route53_zone.public.name_servers
}

output "private_zone_id" {
  description = "The zone the fleet sees."
  value       = aws_route53_zone.private.zone_id
}
