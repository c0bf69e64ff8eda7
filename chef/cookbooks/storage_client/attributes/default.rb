# What mounts EFS encrypted and as the host's role: amazon-efs-utils, which Debian and Ubuntu don't have. By
# commit, whose content git checks: that of v1.36.0, the last version that is no more than Python and stunnel.
default['storage_client']['efs_utils']['source'] = 'https://github.com/aws/efs-utils.git'
default['storage_client']['efs_utils']['commit'] = 'c87d19f3e1db26532f09a7fed338347aacb90e10'
# Where its tunnels listen on the host itself, as in its configuration.
default['storage_client']['efs_utils']['ports'] = '20049-21049'
