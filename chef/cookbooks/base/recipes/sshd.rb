# sshd checks no configuration without it; where a socket starts sshd, it isn't there before the
# first connection.
directory '/run/sshd' do
  owner 'root'
  group 'root'
  mode '0755'
end

# Read before the image's own settings; of two, the first counts. It is put in place only if sshd
# takes it, and base::people has made sure that somebody can log in by it.
template '/etc/ssh/sshd_config.d/00-orchestrate.conf' do
  source 'sshd.conf.erb'
  owner 'root'
  group 'root'
  mode '0600'
  variables(login: node['orchestrate']['login'])
  # A run that only looks makes no folders.
  verify 'test ! -d /run/sshd || sshd -t -f %{path}'
  notifies :reload, 'service[ssh]', :delayed
end

service 'ssh' do
  action :nothing
end
