directory '/etc/exports.d' do
  owner 'root'
  group 'root'
  mode '0755'
end

# Without a client, the line would export to everybody.
exports = node['orchestrate']['exports'].to_h.sort.reject { |_, clients| clients.empty? }

template '/etc/exports.d/orchestrate.exports' do
  source 'exports.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(exports: exports, options: node['storage_server']['options'].join(','))
  notifies :run, 'execute[export anew]', :delayed
end

execute 'export anew' do
  command %w(exportfs -ra)
  action :nothing
  only_if { Orchestrate::RunningKernel.filesystem?('nfsd') }
end
