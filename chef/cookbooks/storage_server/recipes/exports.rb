defaults = node['storage_server']['folder'].to_h

directory '/etc/exports.d' do
  owner 'root'
  group 'root'
  mode '0755'
end

template '/etc/exports.d/orchestrate.exports' do
  source 'exports.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(
    exports: node['orchestrate']['exports'].to_h.sort.map do |path, clients|
      root = defaults.merge(node['storage_server']['folders'][path].to_h)['root']
      [path, clients, [*node['storage_server']['options'], root].join(',')]
    end
  )
  notifies :run, 'execute[export anew]', :delayed
end

execute 'export anew' do
  command %w(exportfs -ra)
  action :nothing
  only_if { Orchestrate::RunningKernel.filesystem?('nfsd') }
end
