settings = node['base']['people']
people = Orchestrate::People.new(node['orchestrate'])
problems = people.problems(Orchestrate::Accounts.uids, ENV['SUDO_USER'])
raise "The users of this host can't be so:\n  #{problems.join("\n  ")}" if problems.any?

directory Orchestrate::People::KEYS do
  owner 'root'
  group 'root'
  mode '0755'
end

people.all.each do |one|
  base_person one.name do
    uid one.uid
    keys one.keys
  end
end

people.gone.each do |name|
  base_person name do
    action :remove
  end
end

people.stale_keys.each do |path|
  file path do
    action :delete
  end
end

group settings['group'] do
  gid settings['gid']
  members people.names
  append false
end

group settings['admin_group'] do
  gid settings['admin_gid']
  members people.admins
  append false
end

# People have no passwords that sudo could ask for.
file '/etc/sudoers.d/50-orchestrate' do
  content "# Managed by orchestrate.\n%#{settings['admin_group']} ALL=(ALL:ALL) NOPASSWD: ALL\n"
  owner 'root'
  group 'root'
  mode '0440'
  verify 'visudo --check --quiet --file=%{path}'
end

# Homes are made by who logs in first, wherever /home is at that time.
cookbook_file '/usr/share/pam-configs/orchestrate-homes' do
  source 'pam-homes'
  owner 'root'
  group 'root'
  mode '0644'
end

execute 'let PAM make homes' do
  command %w(pam-auth-update --package)
  environment 'DEBIAN_FRONTEND' => 'noninteractive'
  not_if { ::File.read('/etc/pam.d/common-session').include?('pam_mkhomedir.so umask=0077') }
end
