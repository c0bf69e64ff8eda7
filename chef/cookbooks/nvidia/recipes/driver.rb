driver = node['nvidia']['driver']

pinned_packages 'nvidia-driver' do
  patterns %w(*nvidia* libcuda* libnvcuvid*)
  version "#{driver['version']}-*"
end

# The module is built for each kernel, and anew when a security update brings another one:
# 6.1.0-28-cloud-amd64 has the flavour cloud-amd64, 6.8.0-1015-aws has aws.
flavour = node['kernel']['release'].sub(/\A[\d.]+(\+\w+)?(-\d+)?-/, '')
package "linux-headers-#{flavour}"

# With the pin, an upgrade is to that version, up or down.
package driver['packages'].to_a do
  action :upgrade
end
