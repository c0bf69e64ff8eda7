# Takes away again what the default recipe made.

systemd_unit 'trial.service' do
  action %i(stop disable delete)
end

mount '/mnt' do
  device 'tmpfs'
  action %i(umount disable)
end

user 'amelia' do
  manage_home true
  action :remove
end

%w(crew pilots).each do |name|
  group name do
    action :remove
  end
end

apt_repository 'trial' do
  action :remove
end

package 'tree' do
  action :purge
end

directory '/srv/scratch' do
  recursive true
  action :delete
end

sysctl 'net.ipv4.ip_default_ttl' do
  action :remove
end
