driver = node['nvidia']['driver']

nvidia_pinned_packages 'nvidia-driver' do
  patterns %w(*nvidia* libcuda* libnvcuvid*)
  version "#{driver['version']}-*"
end

# The module is built for each kernel whose headers are here. The kernel is brought to their version first:
# archives have the headers of the newest one only.
kernel = Orchestrate::KernelPackages.new(node['kernel']['release'])
package kernel.names do
  action :upgrade
  not_if { kernel.headers? }
end

# One driver is not built for every kernel to come: both change together, with the host's image.
node.default['base']['security_updates']['never']['nvidia'] = %w(linux-)

# With the pin, an upgrade is to that version, up or down.
package driver['packages'].to_a do
  action :upgrade
end
