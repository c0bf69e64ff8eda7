# Takes the place of systemd-timesyncd, which jumps instead of slewing and asks one server only.
package 'chrony'

template '/etc/chrony/chrony.conf' do
  source 'chrony.conf.erb'
  mode '0644'
  variables(servers: node['orchestrate']['time_servers'], pool: node['base']['clock']['pool'])
  verify 'chronyd -p -f %{path}'
  notifies :restart, 'service[chrony]', :delayed
end

# In a container the clock is the machine's: chrony's unit is skipped there, and starts nothing.
sets_the_clock = Orchestrate::RunningKernel.allowed?(Orchestrate::RunningKernel::SYS_TIME)

log 'the clock of this host is set by the machine it runs on: chrony is not started' do
  level :info
  not_if { sets_the_clock }
end

service 'chrony' do
  action sets_the_clock ? %i(enable start) : :enable
end
