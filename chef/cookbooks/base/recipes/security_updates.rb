package 'unattended-upgrades'

file '/etc/apt/apt.conf.d/20auto-upgrades' do
  content <<~APT
    // Managed by orchestrate.
    APT::Periodic::Update-Package-Lists "1";
    APT::Periodic::Unattended-Upgrade "1";
    APT::Periodic::AutocleanInterval "7";
  APT
  mode '0644'
end

template '/etc/apt/apt.conf.d/52orchestrate-security-updates' do
  source 'security-updates.erb'
  mode '0644'
  variables(
    origin: value_for_platform(
      'debian' => { 'default' => 'origin=Debian,codename=${distro_codename}-security,label=Debian-Security' },
      'ubuntu' => { 'default' => 'origin=Ubuntu,archive=${distro_codename}-security,label=Ubuntu' }
    )
  )
end

%w(apt-daily.timer apt-daily-upgrade.timer).each do |timer|
  systemd_unit timer do
    action %i(unmask enable start)
  end
end
