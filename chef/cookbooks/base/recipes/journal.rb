directory '/etc/systemd/journald.conf.d' do
  owner 'root'
  group 'root'
  mode '0755'
end

template '/etc/systemd/journald.conf.d/orchestrate.conf' do
  source 'journald.conf.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(node['base']['journal'].to_h.transform_keys(&:to_sym))
  notifies :restart, 'service[systemd-journald]', :delayed
end

service 'systemd-journald' do
  action :nothing
end
