# Hopping is forwarding a connection. What waits for connections here (ssh -R) is nobody's need.
default['base']['sshd']['AllowTcpForwarding'] = 'local'

# A rollout opens fifty hops at once, and the default would drop connections at random above ten.
# Whoever tries keys from one address gets fewer of them; a whole office may sit behind one address.
default['base']['sshd']['MaxStartups'] = '60:30:200'
default['base']['sshd']['PerSourceMaxStartups'] = '60'
default['base']['sshd']['PerSourceNetBlockSize'] = '32:64'
default['base']['sshd']['LoginGraceTime'] = '20'

# Where people who aren't administrators may be forwarded to, as in PermitOpen: to the SSH of hosts. It knows
# no networks: that those are the fleet's is the kernel's to mind, in bastion::reach.
default['bastion']['permit_open'] = %w(*:22)

# A shell where nobody types ends after this many seconds. Forwarded connections stay.
default['bastion']['idle_seconds'] = 1800

# Tools that would make a host at the edge more useful to an intruder than to anybody else.
default['bastion']['unwanted'] = %w(cpp cmake g++ gcc gdb make netcat-openbsd netcat-traditional nmap tcpdump telnet)
