template '/etc/security/limits.d/50-orchestrate.conf' do
  source 'limits.conf.erb'
  mode '0644'
end
