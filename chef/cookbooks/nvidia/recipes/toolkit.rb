toolkit = node['nvidia']['toolkit']

nvidia_pinned_packages 'nvidia-toolkit' do
  patterns toolkit['packages'].to_a
  version toolkit['version']
end

package toolkit['packages'].to_a do
  action :upgrade
end

# Pods with the runtime class `nvidia` get the cards that the device plugin gives them.
node.default['container_runtime']['runtimes']['nvidia'] = {
  'BinaryName' => '/usr/bin/nvidia-container-runtime',
}
