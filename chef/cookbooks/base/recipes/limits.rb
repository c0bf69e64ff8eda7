template '/etc/security/limits.d/50-orchestrate.conf' do
  source 'limits.conf.erb'
  owner 'root'
  group 'root'
  mode '0644'
end
