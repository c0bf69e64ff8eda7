include_recipe 'container_runtime::kernel'
include_recipe 'container_runtime::containerd'
include_recipe 'container_runtime::plugins'
