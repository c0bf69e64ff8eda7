mounts = node['orchestrate']['mounts']

mounts.each do |where, how|
  storage_client_shared_folder where do
    source how['source']
    type how['type']
    options how['options']
  end
end

(Orchestrate::SharedFolder.known - mounts.keys).each do |where|
  storage_client_shared_folder where do
    action :forget
  end
end
