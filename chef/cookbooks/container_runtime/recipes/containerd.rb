package node['container_runtime']['packages'].to_a

directory '/etc/containerd' do
  owner 'root'
  group 'root'
  mode '0755'
end

# Written while resources converge, so that other cookbooks' runtimes are in it.
template '/etc/containerd/config.toml' do
  source 'containerd.toml.erb'
  owner 'root'
  group 'root'
  mode '0644'
  # With version 2 of control groups systemd is their only owner; with version 1 there may be none
  # for containers, as in a container.
  variables(systemd_cgroup: ::File.exist?('/sys/fs/cgroup/cgroup.controllers'))
  notifies :restart, 'service[containerd]', :delayed
end

file '/etc/crictl.yaml' do
  content "# Managed by orchestrate.\nruntime-endpoint: unix:///run/containerd/containerd.sock\ntimeout: 10\n"
  owner 'root'
  group 'root'
  mode '0644'
end

service 'containerd' do
  action %i(enable start)
end
