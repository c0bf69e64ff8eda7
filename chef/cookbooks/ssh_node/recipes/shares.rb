# Sessions have control groups only with logind.
package 'libpam-systemd'

systemd_unit 'systemd-logind.service' do
  action %i(unmask start)
end

{ 'user-.slice' => 'person', 'system.slice' => 'system' }.each do |slice, kind|
  directory "/etc/systemd/system/#{slice}.d" do
    owner 'root'
    group 'root'
    mode '0755'
  end

  template "/etc/systemd/system/#{slice}.d/50-orchestrate.conf" do
    source "#{kind}.slice.erb"
    owner 'root'
    group 'root'
    mode '0644'
    variables(node['ssh_node']['share'].to_h.transform_keys(&:to_sym))
    notifies :run, 'execute[read the units anew]', :immediately
  end
end

execute 'read the units anew' do
  command %w(systemctl daemon-reload)
  action :nothing
end
