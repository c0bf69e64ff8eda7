kernel_serves = Orchestrate::RunningKernel.filesystem?('nfsd')

directory '/etc/nfs.conf.d' do
  owner 'root'
  group 'root'
  mode '0755'
end

template '/etc/nfs.conf.d/orchestrate.conf' do
  source 'nfs.conf.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(threads: node['storage_server']['threads'])
  notifies :restart, 'service[nfs-server]', :delayed if kernel_serves
end

# It would fail at every boot on a kernel without an NFS server.
systemd_unit 'proc-fs-nfsd.mount' do
  action kernel_serves ? :unmask : :mask
end

package 'nfs-kernel-server'

log 'nothing is exported, only described: the kernel under this host has no NFS server' do
  level :warn
  not_if { kernel_serves }
end

service 'nfs-server' do
  action kernel_serves ? %i(enable start) : %i(disable stop)
end
