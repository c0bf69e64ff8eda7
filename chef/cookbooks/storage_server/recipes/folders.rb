node['orchestrate']['exports'].each_key do |path|
  settings = node['storage_server']['folder'].to_h.merge(node['storage_server']['folders'][path].to_h)

  directory path do
    recursive true
    owner 'root'
    group settings['group']
    mode settings['mode']
  end
end
