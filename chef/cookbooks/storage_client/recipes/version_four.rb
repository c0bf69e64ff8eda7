# Version 4 of NFS alone: one port, no rpcbind, and locks that end with their client. Masked before
# the package comes, which would start them.
%w(rpcbind.service rpcbind.socket rpc-statd.service).each do |unit|
  systemd_unit unit do
    action %i(mask stop)
  end
end

# It would fail at every boot on a kernel without NFS.
systemd_unit 'run-rpc_pipefs.mount' do
  action Orchestrate::RunningKernel.filesystem?('rpc_pipefs', 'sunrpc') ? :unmask : :mask
end

package 'nfs-common'
