template '/etc/motd' do
  source 'motd.erb'
  mode '0644'
  variables(host: node['orchestrate'])
end
