template '/etc/profile.d/idle.sh' do
  source 'idle.sh.erb'
  mode '0644'
  variables(seconds: node['bastion']['idle_seconds'])
end
