return unless node['orchestrate']['mounts'].any? { |_, how| how['type'] == 'access-point' }

cookbook_file '/usr/sbin/mount.access-point' do
  source 'mount-access-point.sh'
  owner 'root'
  group 'root'
  mode '0755'
end

# Whoever spoke NFS to a tunnel would be whom it is for. The kernel's own connections belong to nobody.
base_packet_rules 'tunnels' do
  purpose 'Only root and the kernel speak to the tunnels of EFS'
  chains <<~NFT
    chain asking {
      type filter hook output priority filter; policy accept;
      oif "lo" tcp dport #{node['storage_client']['efs_utils']['ports']} meta skuid != 0 reject with tcp reset
    }
  NFT
end

return unless Orchestrate::RunningKernel.filesystem?('nfs4', 'nfsv4')

package %w(bind9-host git python3 stunnel4)

directory '/var/log/amazon/efs' do
  recursive true
  owner 'root'
  group 'root'
  mode '0755'
end

efs_utils = node['storage_client']['efs_utils']
marker = '/etc/amazon/efs/commit'

bash 'install amazon-efs-utils' do
  code <<~BASH
    set -eu
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
    git init -q .
    git fetch -q --depth 1 "$SOURCE" "$COMMIT"
    git checkout -q "$COMMIT"
    install -d -m 755 /etc/amazon/efs
    install -m 755 src/mount_efs/__init__.py /usr/sbin/mount.efs
    install -m 755 src/watchdog/__init__.py /usr/bin/amazon-efs-mount-watchdog
    install -m 644 dist/efs-utils.conf /etc/amazon/efs
    install -m 444 dist/efs-utils.crt /etc/amazon/efs
    install -m 644 dist/amazon-efs-mount-watchdog.service /etc/systemd/system
    echo "$COMMIT" >"$MARKER"
  BASH
  environment('SOURCE' => efs_utils['source'], 'COMMIT' => efs_utils['commit'], 'MARKER' => marker)
  retries 3
  retry_delay 10
  not_if { ::File.exist?(marker) && ::File.read(marker).strip == efs_utils['commit'] }
end

systemd_unit 'amazon-efs-mount-watchdog.service' do
  action %i(enable start)
end
