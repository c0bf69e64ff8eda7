# What a host is told about itself and the fleet is in node['orchestrate'], by the node JSON. The
# attributes here are the cookbook's own; roles and other cookbooks change them.

# Installed on every host. Who must find out at night what a host does needs these at hand.
default['base']['tools'] = %w(ca-certificates curl htop jq less lsof rsync vim)

# Package lists older than this are fetched anew before anything is installed. The timers of
# base::security_updates fetch them daily, so that a converge needs to on a fresh host only.
default['base']['package_lists_seconds'] = 2 * 24 * 3600

# Groups of the people in the fleet, with the same ids everywhere, as shared storage knows ids only.
# Logins of images have 1000 and up, people of the fleet 2000 and up.
default['base']['people']['group'] = 'fleet-users'
default['base']['people']['gid'] = 1990
default['base']['people']['admin_group'] = 'fleet-admins'
default['base']['people']['admin_gid'] = 1991
default['base']['people']['verifier_group'] = 'fleet-verifiers'
default['base']['people']['verifier_gid'] = 1992
# Nobody but administrators is in one of these, whoever put them there: each leads to root.
default['base']['people']['powerful_groups'] = %w(adm admin disk docker incus-admin kmem libvirt lxd shadow sudo wheel)

# Who may ask EC2's metadata service, and so act as the host's role: accounts of programs that call AWS.
# cloud-init, the agents of AWS and kubelet run as root. EC2 Instance Connect has an account of its own, and
# stays out: it would let in whom IAM lets, beside the fleet's keys.
default['base']['metadata']['accounts'] = %w(root)

# Directives of sshd_config, by name. Only algorithms that OpenSSH 8.9 (Ubuntu 22.04) knows too.
# Forwarding is off but where a host's purpose needs it: see the cookbooks bastion and ssh_node.
default['base']['sshd'] = {
  'PermitRootLogin' => 'no',
  'PubkeyAuthentication' => 'yes',
  'PasswordAuthentication' => 'no',
  'KbdInteractiveAuthentication' => 'no',
  'PermitEmptyPasswords' => 'no',
  'HostbasedAuthentication' => 'no',
  'PermitUserEnvironment' => 'no',
  'StrictModes' => 'yes',
  'UsePAM' => 'yes',
  'AllowAgentForwarding' => 'no',
  'AllowTcpForwarding' => 'no',
  'AllowStreamLocalForwarding' => 'no',
  'GatewayPorts' => 'no',
  'PermitTunnel' => 'no',
  'X11Forwarding' => 'no',
  'LoginGraceTime' => '30',
  # Each key that an agent offers is a try: whoever has more than four names theirs (IdentityFile).
  'MaxAuthTries' => '4',
  'ClientAliveInterval' => '60',
  'ClientAliveCountMax' => '3',
  # A name server that is down must not delay logins.
  'UseDNS' => 'no',
  # VERBOSE logs the fingerprint of the key that let somebody in.
  'LogLevel' => 'VERBOSE',
  'KexAlgorithms' => %w(
    sntrup761x25519-sha512@openssh.com
    curve25519-sha256
    curve25519-sha256@libssh.org
    diffie-hellman-group16-sha512
    diffie-hellman-group18-sha512
  ).join(','),
  'Ciphers' => %w(
    chacha20-poly1305@openssh.com
    aes256-gcm@openssh.com
    aes128-gcm@openssh.com
    aes256-ctr
    aes128-ctr
  ).join(','),
  'MACs' => %w(
    hmac-sha2-256-etm@openssh.com
    hmac-sha2-512-etm@openssh.com
    umac-128-etm@openssh.com
  ).join(','),
}

# Asked for the time where node['orchestrate']['time_servers'] names nobody.
default['base']['clock']['pool'] = node['platform'] == 'ubuntu' ? 'ntp.ubuntu.com' : '2.debian.pool.ntp.org'

# Of a login session, by pam_limits: domain, type and item, and the value.
default['base']['limits'] = {
  # Data loaders keep thousands of files open; software that uses select(2) stays below the soft one.
  '* soft nofile' => '65536',
  '* hard nofile' => '1048576',
  # A core file of a training process is as large as its memory.
  '* soft core' => '0',
}

# Kernel settings of every host, as in sysctl.d(5).
default['base']['kernel'] = {
  # Don't tell a process what could help it to take over the kernel, or another user's processes.
  'fs.protected_fifos' => '1',
  'fs.protected_hardlinks' => '1',
  'fs.protected_regular' => '2',
  'fs.protected_symlinks' => '1',
  'fs.suid_dumpable' => '0',
  'kernel.dmesg_restrict' => '1',
  'kernel.kptr_restrict' => '1',
  'kernel.unprivileged_bpf_disabled' => '1',
  'kernel.yama.ptrace_scope' => '1',
  # Routes come from DHCP and from whoever runs the host, not from a packet.
  'net.ipv4.conf.all.accept_redirects' => '0',
  'net.ipv4.conf.all.accept_source_route' => '0',
  'net.ipv4.conf.all.send_redirects' => '0',
  'net.ipv4.conf.default.accept_redirects' => '0',
  'net.ipv4.conf.default.accept_source_route' => '0',
  'net.ipv4.conf.default.send_redirects' => '0',
  'net.ipv6.conf.all.accept_redirects' => '0',
  'net.ipv6.conf.default.accept_redirects' => '0',
  'net.ipv4.tcp_syncookies' => '1',
  # Room for a connection of 10 Gbit/s across an ocean (10 Gbit/s x 100 ms is 125 MB; TCP halves it).
  'net.core.rmem_max' => '67108864',
  'net.core.wmem_max' => '67108864',
  'net.core.somaxconn' => '4096',
  # Editors, kubelet and data loaders watch files.
  'fs.inotify.max_user_instances' => '8192',
  'fs.inotify.max_user_watches' => '524288',
  # Swap, where there is any, is for what nobody uses.
  'vm.swappiness' => '10',
}

# Where security updates come from that are installed by themselves, as in unattended-upgrades. Those of
# Ubuntu's extended maintenance (ESM) reach hosts that are entitled to it.
default['base']['security_updates']['origins'] =
  if node['platform'] == 'ubuntu'
    [
      'origin=Ubuntu,archive=${distro_codename}-security,label=Ubuntu',
      'origin=UbuntuESMApps,archive=${distro_codename}-apps-security',
      'origin=UbuntuESM,archive=${distro_codename}-infra-security',
    ]
  else
    ['origin=Debian,codename=${distro_codename}-security,label=Debian-Security']
  end
# Packages that are never updated by themselves, as patterns of their names' beginnings. Cookbooks add
# theirs by a key of their own.
default['base']['security_updates']['never'] = {}

default['base']['journal']['max_use'] = '1G'
default['base']['journal']['keep_free'] = '2G'
default['base']['journal']['max_age'] = '1month'
