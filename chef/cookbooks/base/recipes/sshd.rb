# Read before the image's own settings; of two, the first counts. It is put in place only if sshd
# takes it, and base::people has made sure that somebody can log in by it.
template '/etc/ssh/sshd_config.d/00-orchestrate.conf' do
  source 'sshd.conf.erb'
  mode '0600'
  variables(login: node['orchestrate']['login'])
  verify 'sshd -t -f %{path}'
  notifies :reload, 'service[ssh]', :delayed
end

service 'ssh' do
  action :nothing
end
