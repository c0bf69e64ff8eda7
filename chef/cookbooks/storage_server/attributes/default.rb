# Of every export. `sync`: what the server has confirmed outlives its crash.
default['storage_server']['options'] = %w(rw sync no_subtree_check)

# Of every exported folder, and of single ones. Files stay with the group of everybody; root of the
# clients is nobody here.
default['storage_server']['folder'] = { 'group' => 'fleet-users', 'mode' => '2775', 'root' => 'root_squash' }
# A host makes the home of who logs in for the first time, as root: so root of the clients is root
# here, as it is on EFS.
default['storage_server']['folders']['/srv/home'] = { 'group' => 'root', 'mode' => '0755', 'root' => 'no_root_squash' }
# People can't remove each other's results.
default['storage_server']['folders']['/srv/results'] = { 'mode' => '3775' }

default['storage_server']['threads'] = 64
