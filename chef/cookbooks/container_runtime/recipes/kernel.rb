modules = node['container_runtime']['modules'].to_a
missing = modules.reject { |mod| Orchestrate::RunningKernel.loaded?(mod) }

file '/etc/modules-load.d/orchestrate-containers.conf' do
  content modules.map { |mod| "#{mod}\n" }.join
  owner 'root'
  group 'root'
  mode '0644'
end

execute 'load what containers need of the kernel' do
  command ['modprobe', '--all', *missing]
  only_if { missing.any? && missing.all? { |mod| Orchestrate::RunningKernel.loadable?(mod) } }
end

base_kernel_settings 'orchestrate-containers' do
  settings node['container_runtime']['kernel']
end
