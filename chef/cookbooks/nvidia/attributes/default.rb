# `auto`: where the host has a GPU, or its image is to carry the driver; `always`; `never`.
default['nvidia']['install'] = 'auto'

# One version of everything that talks to the driver. Branch 570 with the proprietary kernel module
# drives all cards of the fleet, from V100 and Titan V, which the open module doesn't, to H100.
# docs.nvidia.com/datacenter/tesla/drivers
default['nvidia']['driver']['version'] = '570.195.03'
default['nvidia']['driver']['packages'] =
  if node['platform'] == 'ubuntu'
    %w(nvidia-headless-570 nvidia-utils-570 nvidia-compute-utils-570 nvidia-modprobe nvidia-fabricmanager-570)
  else
    %w(nvidia-kernel-dkms nvidia-driver-cuda nvidia-persistenced nvidia-modprobe nvidia-fabricmanager-570)
  end

default['nvidia']['toolkit']['version'] = '1.17.8-1'
default['nvidia']['toolkit']['packages'] = %w(
  libnvidia-container1
  libnvidia-container-tools
  nvidia-container-toolkit-base
  nvidia-container-toolkit
)

# The keys that sign NVIDIA's archives, by fingerprint: another key is refused, whoever serves it.
arch = node['kernel']['machine'] == 'aarch64' ? 'sbsa' : 'x86_64'
release = "#{node['platform']}#{node['platform_version'].delete('.')}"
default['nvidia']['archives']['nvidia-cuda'] = {
  'uri' => "https://developer.download.nvidia.com/compute/cuda/repos/#{release}/#{arch}/",
  'key' => '3bf863cc.pub',
  'fingerprint' => 'EB693B3035CD5710E231E123A4B469963BF863CC',
}
default['nvidia']['archives']['nvidia-container-toolkit'] = {
  'uri' => "https://nvidia.github.io/libnvidia-container/stable/deb/#{arch == 'sbsa' ? 'arm64' : 'amd64'}/",
  'key' => 'https://nvidia.github.io/libnvidia-container/gpgkey',
  'fingerprint' => 'C95B321B61E88C1809C4F759DDCAE044F796ECB0',
}
