include_recipe 'ssh_node::tools'
include_recipe 'ssh_node::scratch'
include_recipe 'ssh_node::shares'
