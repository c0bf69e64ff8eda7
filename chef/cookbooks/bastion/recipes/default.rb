include_recipe 'bastion::forwarding'
include_recipe 'bastion::reach'
include_recipe 'bastion::sessions'

package node['bastion']['unwanted'].to_a do
  action :remove
end
