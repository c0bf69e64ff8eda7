# Takes the place of systemd-timesyncd, which jumps instead of slewing and asks one server only.
package 'chrony'

template '/etc/chrony/chrony.conf' do
  source 'chrony.conf.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(servers: node['orchestrate']['time_servers'], pool: node['base']['clock']['pool'])
  # A run that only looks comes here before the package is there.
  verify 'test ! -x /usr/sbin/chronyd || chronyd -p -f %{path}'
  notifies :restart, 'service[chrony]', :delayed
end

service 'chrony' do
  action %i(enable start)
end
