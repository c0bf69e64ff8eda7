# An image has no name of its own.
return unless node['orchestrate']['hostname']

# The name that `orchestrate hosts` shows, so that logs and prompts can be pasted into its commands;
# Linux has room for 64 letters.
full = node['orchestrate']['hostname']
short = full.split('.').first
name = full.length <= 64 ? full : short[0, 64]

file '/etc/hostname' do
  content "#{name}\n"
  owner 'root'
  group 'root'
  mode '0644'
end

execute 'set the hostname' do
  command ['hostname', name]
  not_if { ::Socket.gethostname == name }
end

template '/etc/hosts' do
  source 'hosts.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(
    # Not 127.0.1.1: what asks for its own address, like torch.distributed, tells it to others.
    address: node['ipaddress'] || '127.0.1.1',
    names: [[short, node['orchestrate']['domain']].compact.join('.'), name, short].uniq
  )
end

# Else cloud-init would write both anew at each boot.
directory '/etc/cloud/cloud.cfg.d' do
  owner 'root'
  group 'root'
  mode '0755'
  recursive true
end

file '/etc/cloud/cloud.cfg.d/95_orchestrate_hostname.cfg' do
  content "# Managed by orchestrate.\npreserve_hostname: true\nmanage_etc_hosts: false\n"
  owner 'root'
  group 'root'
  mode '0644'
end
