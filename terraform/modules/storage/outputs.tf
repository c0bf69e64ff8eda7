output "filesystem_ids" {
  description = "EFS file systems by mount name."
  value       = { for name, filesystem in aws_efs_file_system.this : name => filesystem.id }
}

output "filesystem_hosts" {
  description = "The names AWS gives the file systems, by mount name; known once they can be mounted."
  value       = { for name, filesystem in aws_efs_file_system.this : name => filesystem.dns_name }

  depends_on = [aws_efs_mount_target.this]
}

output "access_point_ids" {
  description = "Access points by the name under which hosts find them; known once they can be mounted."
  value       = { for name, point in aws_efs_access_point.this : name => point.id }

  depends_on = [aws_efs_mount_target.this, aws_efs_file_system_policy.this]
}

output "bucket_names" {
  description = "S3 buckets by purpose."
  value       = { for purpose, bucket in aws_s3_bucket.this : purpose => bucket.id }
}
