# Takes the place of systemd-timesyncd, which jumps instead of slewing and asks one server only.
package 'chrony'

template '/etc/chrony/chrony.conf' do
  source 'chrony.conf.erb'
  mode '0644'
  variables(servers: node['orchestrate']['time_servers'], pool: node['base']['clock']['pool'])
  verify 'chronyd -p -f %{path}'
  notifies :restart, 'service[chrony]', :delayed
end

service 'chrony' do
  action %i(enable start)
end
