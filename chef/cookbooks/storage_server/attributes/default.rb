# Of every export. `sync`: what the server has confirmed outlives its crash. Root of a client is nobody
# here, and a port that only root gets keeps others on a client from being whom they like.
default['storage_server']['options'] = %w(rw sync no_subtree_check root_squash secure)

# Of every exported folder, and of single ones. Files stay with the group of everybody.
default['storage_server']['folder'] = { 'group' => 'fleet-users', 'mode' => '2775' }
# Homes are made here, as no client's root can.
default['storage_server']['folders']['/srv/home'] = { 'group' => 'root', 'mode' => '0755' }
# People can't remove each other's results.
default['storage_server']['folders']['/srv/results'] = { 'mode' => '3775' }

default['storage_server']['threads'] = 64
