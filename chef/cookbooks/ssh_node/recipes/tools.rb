package node['ssh_node']['tools'].to_a
