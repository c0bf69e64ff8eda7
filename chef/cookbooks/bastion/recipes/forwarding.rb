# Administrators, and the image's login, keep their shells: they look after this host. So does who
# verifies it, whose shell can change nothing that isn't its own.
template '/etc/ssh/sshd_config.d/10-orchestrate-forwarding.conf' do
  source 'forwarding.conf.erb'
  owner 'root'
  group 'root'
  mode '0600'
  variables(
    people: node['base']['people']['group'],
    admins: node['base']['people']['admin_group'],
    verifiers: node['base']['people']['verifier_group'],
    permit_open: node['bastion']['permit_open']
  )
  verify 'test ! -d /run/sshd || sshd -t -f %{path}'
  notifies :reload, 'service[ssh]', :delayed
end

cookbook_file '/usr/local/sbin/forwarding-only' do
  source 'forwarding-only.sh'
  owner 'root'
  group 'root'
  mode '0755'
end
