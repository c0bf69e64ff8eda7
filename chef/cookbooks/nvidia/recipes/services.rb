# One image starts on machines with and without cards and switches: what there is decides at boot.
cookbook_file '/usr/local/sbin/nvidia-pci' do
  source 'nvidia-pci.sh'
  owner 'root'
  group 'root'
  mode '0755'
end

{
  # Keeps the driver in the card while nobody uses it, and makes the device files.
  'nvidia-persistenced' => ['/usr/local/sbin/nvidia-pci 0x0300 0x0302', '/usr/bin/nvidia-modprobe -c 0 -u'],
  # Joins cards over NVSwitch, without which CUDA doesn't start on machines that have it.
  'nvidia-fabricmanager' => ['/usr/local/sbin/nvidia-pci 0x0680'],
}.each do |name, conditions|
  directory "/etc/systemd/system/#{name}.service.d" do
    owner 'root'
    group 'root'
    mode '0755'
  end

  file "/etc/systemd/system/#{name}.service.d/orchestrate.conf" do
    content "# Managed by orchestrate.\n[Service]\n#{conditions.map { |one| "ExecCondition=#{one}\n" }.join}"
    owner 'root'
    group 'root'
    mode '0644'
    notifies :run, 'execute[read the units anew for NVIDIA]', :immediately
  end
end

execute 'read the units anew for NVIDIA' do
  command %w(systemctl daemon-reload)
  action :nothing
end

gpus = Orchestrate::Gpus.new
kernel = Orchestrate::KernelPackages.new(node['kernel']['release'])
# A host that ran with the other driver so far.
taken = Orchestrate::RunningKernel.loaded?('nouveau')

log 'reboot this host: the driver is for the kernel that the next boot starts' do
  level :warn
  not_if { kernel.running? }
end

log 'reboot this host: nouveau has the cards until then' do
  level :warn
  only_if { taken }
end

{ 'nvidia-persistenced' => gpus.any?, 'nvidia-fabricmanager' => gpus.switched? }.each do |name, needed|
  service name do
    action :enable
  end

  service name do
    action :start
    only_if { needed && !taken && kernel.running? }
  end
end
