package 'unattended-upgrades'

file '/etc/apt/apt.conf.d/20auto-upgrades' do
  content <<~APT
    // Managed by orchestrate.
    APT::Periodic::Update-Package-Lists "1";
    APT::Periodic::Unattended-Upgrade "1";
    APT::Periodic::AutocleanInterval "7";
  APT
  owner 'root'
  group 'root'
  mode '0644'
end

template '/etc/apt/apt.conf.d/52orchestrate-security-updates' do
  source 'security-updates.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(
    origins: node['base']['security_updates']['origins']
  )
end

%w(apt-daily.timer apt-daily-upgrade.timer).each do |timer|
  systemd_unit timer do
    action %i(unmask enable start)
  end
end

# Holds a shutdown back until an upgrade that is at work has ended.
service 'unattended-upgrades' do
  action %i(enable start)
end
