default['container_runtime']['packages'] = %w(containerd containernetworking-plugins runc)

# A new containerd restarts under the pods of its host.
default['base']['security_updates']['never']['container_runtime'] = %w(containerd runc)

# Holds a pod's namespaces. The version that kubeadm of the fleet's Kubernetes asks for.
default['container_runtime']['pause_image'] = 'registry.k8s.io/pause:3.10.1'

# More runtimes than runc, by name: the options of containerd's runc shim. See the cookbook nvidia.
default['container_runtime']['runtimes'] = {}
default['container_runtime']['default_runtime'] = 'runc'

default['container_runtime']['modules'] = %w(br_netfilter overlay)
default['container_runtime']['kernel'] = {
  # Pods are routed, and what is bridged between them passes the rules of services.
  'net.ipv4.ip_forward' => '1',
  'net.bridge.bridge-nf-call-iptables' => '1',
  'net.bridge.bridge-nf-call-ip6tables' => '1',
  # What kubelet would set itself, and refuses to start without (--protect-kernel-defaults).
  'kernel.panic' => '10',
  'kernel.panic_on_oops' => '1',
  'vm.overcommit_memory' => '1',
  # Indices and databases in pods map many files.
  'vm.max_map_count' => '262144',
}
