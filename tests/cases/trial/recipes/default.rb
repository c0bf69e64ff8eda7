# One of each resource that changes the system, for a test on a host that may be spoilt.

apt_update 'lists'

package %w(tree ncal) do
  action :install
end

package 'sl' do
  action :purge
end

group 'pilots' do
  gid 3001
  system true
end

user 'amelia' do
  uid 3002
  gid 'pilots'
  comment 'Flies'
  home '/srv/amelia'
  shell '/bin/bash'
  password '*'
  manage_home true
end

group 'crew' do
  gid 3003
  members %w(amelia)
end

user 'nobody-else' do
  action :remove
end

systemd_unit 'trial.service' do
  content(
    'Unit' => { 'Description' => 'A trial' },
    'Service' => { 'ExecStart' => '/usr/bin/sleep infinity', 'Environment' => %w(A=1 B=2) },
    'Install' => { 'WantedBy' => 'multi-user.target' }
  )
  action %i(create enable start)
end

service 'apt-daily.timer' do
  action %i(stop disable)
end

directory '/srv/scratch' do
  owner 'amelia'
  group 'crew'
  mode '2770'
end

mount '/mnt' do
  device 'tmpfs'
  fstype 'tmpfs'
  options 'size=1m,nosuid'
  pass 0
  action %i(mount enable)
end

file '/srv/scratch/who' do
  content lazy { Etc.getpwnam('amelia').uid.to_s }
  owner 'amelia'
  notifies :restart, 'service[trial]', :delayed
end

service 'trial' do
  action :nothing
end

bash 'as amelia' do
  code 'id -un > /srv/scratch/by'
  user 'amelia'
  group 'crew'
  creates '/srv/scratch/by'
end

sysctl 'net.ipv4.ip_default_ttl' do
  value 63
  comment 'For a trial.'
end

timezone 'Europe/Berlin'

hostname 'trial-1.example' do
  aliases %w(trial)
end

directory '/srv/archive'

file '/srv/archive/Packages' do
  content ''
end

apt_repository 'trial' do
  uri 'file:/srv/archive'
  distribution './'
  trusted true
  signed_by nil
end
