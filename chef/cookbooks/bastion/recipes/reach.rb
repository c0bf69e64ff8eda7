# People hop to the fleet's networks and no further: from here to the internet, they would be us. sshd
# connects as whom it connects for.
people = node['orchestrate']['users'].reject { |_, user| user['admin'] }

package 'nftables'

directory '/etc/nftables.d' do
  owner 'root'
  group 'root'
  mode '0755'
end

template '/etc/nftables.d/orchestrate-reach.nft' do
  source 'reach.nft.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(networks: node['orchestrate']['networks'].to_a, uids: people.map { |_, user| user['uid'] }.sort)
  # A run that only looks comes here before the package is there.
  verify 'test ! -x /usr/sbin/nft || nft --check --file %{path}'
  notifies :restart, 'service[reach]', :delayed
end

# On its own: nftables.service would flush what others, like the container runtime, have set.
systemd_unit 'reach.service' do
  content <<~UNIT
    # Managed by orchestrate.
    [Unit]
    Description=People who hop through this host reach the fleet's networks only
    DefaultDependencies=no
    Before=network-pre.target ssh.service shutdown.target
    Wants=network-pre.target
    Conflicts=shutdown.target

    [Service]
    Type=oneshot
    RemainAfterExit=yes
    ExecStart=/usr/sbin/nft --file /etc/nftables.d/orchestrate-reach.nft

    [Install]
    WantedBy=sysinit.target
  UNIT
  action %i(create enable)
end

service 'reach' do
  action :start
end
