# Notebooks and dashboards listen on the node's own loopback and are forwarded to a laptop.
default['base']['sshd']['AllowTcpForwarding'] = 'local'

default['ssh_node']['tools'] = %w(
  build-essential
  cmake
  git
  pkg-config
  python3-dev
  python3-pip
  python3-venv
  tmux
)

# Fast room that is shared by all and kept by nobody. Instance storage where the node has any, of
# which the first boot makes one striped file system; else a folder of the root disk.
default['ssh_node']['scratch']['path'] = '/scratch'
default['ssh_node']['scratch']['days'] = 14
default['ssh_node']['scratch']['disks'] = '/dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_*'

# Of one person, of the whole machine. Weights count only while somebody else wants the CPU too.
default['ssh_node']['share']['cpu_weight'] = 100
default['ssh_node']['share']['memory_high'] = '70%'
default['ssh_node']['share']['memory_max'] = '80%'
default['ssh_node']['share']['tasks_max'] = '33%'
# What the system's own services weigh beside all people together, so that one can always log in.
default['ssh_node']['share']['system_cpu_weight'] = 500
