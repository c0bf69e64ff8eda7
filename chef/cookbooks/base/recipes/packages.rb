# A fresh host installs its security updates while it is converged: apt waits for them. What packages
# merely recommend is left out, whoever installs them.
file '/etc/apt/apt.conf.d/10orchestrate' do
  content "// Managed by orchestrate.\nDPkg::Lock::Timeout \"300\";\nAPT::Install-Recommends \"false\";\n"
  owner 'root'
  group 'root'
  mode '0644'
end

apt_update 'lists' do
  frequency node['base']['package_lists_seconds']
  action :periodic
  retries 3
  retry_delay 10
end

package node['base']['tools'].to_a
