settings = node['base']['people']
ours = %w(group admin_group verifier_group).to_h { |of| [settings[of], settings[of.sub('group', 'gid')]] }
users = Orchestrate::Accounts.users
groups = Orchestrate::Accounts.groups
people = Orchestrate::People.new(node['orchestrate'], known: groups.dig(settings['group'], 'members').to_a)
problems = people.problems(users.keys, ENV['SUDO_USER'])
problems += Orchestrate::Takeover.new(people, users, groups, ours).problems
if problems.any?
  raise "The users of this host can't be so:\n  #{problems.join("\n  ")}\n" \
        'Nothing was changed. Give them another login in fleet.yaml, or remove what is in the way on this host.'
end

directory Orchestrate::People::KEYS do
  owner 'root'
  group 'root'
  mode '0755'
end

directory '/var/home' do
  owner 'root'
  group 'root'
  mode '0755'
end

# Before anybody comes: who was merely renamed keeps their number.
people.gone.each do |name|
  base_person name do
    action :remove
  end
end

people.all.each do |one|
  base_person one.name do
    uid one.uid
    home people.home(one)
    keys one.keys
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

group settings['verifier_group'] do
  gid settings['verifier_gid']
  members people.verifiers
  append false
end

cookbook_file Orchestrate::People::LOOK do
  source 'look.sh'
  owner 'root'
  group 'root'
  mode '0755'
end

# Who is in one of these can become root, or read what only root may.
settings['powerful_groups'].each do |name|
  group name do
    excluded_members people.names - people.admins
    append true
    action :manage
  end
end

file '/etc/sudoers.d/50-orchestrate' do
  content "# Managed by orchestrate.\n#{people.sudo_rules.join}"
  owner 'root'
  group 'root'
  mode '0440'
  verify 'visudo --check --quiet --file=%{path}'
end

# Homes are made by who logs in first, where whoever keeps /home didn't before.
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
