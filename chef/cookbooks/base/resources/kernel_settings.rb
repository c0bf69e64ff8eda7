unified_mode true

provides :base_kernel_settings
description 'Settings of the kernel in a file of sysctl.d, and in force'

property :drop_in, String, name_property: true, description: 'Name of the file, without number and extension'
property :settings, Hash, required: true, coerce: proc { |all| all.to_h }, description: 'By name, as in sysctl(8)'

action :apply do
  # With a dash, a setting that can't be made is no failure of systemd-sysctl.
  lines = new_resource.settings.sort.map { |name, value| "-#{name} = #{value}\n" }

  file "/etc/sysctl.d/60-#{new_resource.drop_in}.conf" do
    content "# Managed by orchestrate.\n#{lines.join}"
    owner 'root'
    group 'root'
    mode '0644'
  end

  # One by one instead of `sysctl --system`, which would undo what others set since the boot.
  differing = new_resource.settings.reject { |name, value| Orchestrate::KernelSetting.new(name).is?(value) }
  possible, impossible = differing.partition { |name, _| Orchestrate::KernelSetting.new(name).writable? }

  possible.each do |name, value|
    converge_by "set #{name} to #{value}, from #{Orchestrate::KernelSetting.new(name).value}" do
      Orchestrate::KernelSetting.new(name).set(value)
    end
  end

  unless impossible.empty?
    names = impossible.map(&:first).join(', ')
    Chef::Log.warn("kernel settings that this host lacks, or may not change: #{names}")
  end
end
