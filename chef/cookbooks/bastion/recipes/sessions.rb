template '/etc/profile.d/idle.sh' do
  source 'idle.sh.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(seconds: node['bastion']['idle_seconds'])
end
