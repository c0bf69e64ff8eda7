unified_mode true

provides :storage_client_shared_folder
description 'A folder of shared storage, mounted when the host boots, or when storage is back'

property :path, String, name_property: true, description: 'Where it is mounted'
property :source, String, description: 'What is mounted, as in mount(8)'
property :type, String, default: 'nfs4', description: 'Type of its file system'
property :options, String, default: '', description: 'Options of mount(8)'

action :mount do
  folder = Orchestrate::SharedFolder.new(
    new_resource.path,
    source: new_resource.source,
    type: new_resource.type,
    options: new_resource.options
  )
  mountable = folder.mountable?

  # Once it is mounted, mode and owner are the share's.
  directory new_resource.path do
    owner 'root'
    group 'root'
    mode '0755'
    recursive true
    only_if { mountable && !::File.exist?(new_resource.path) }
  end

  # Chef hands the file to systemd-analyze in a line for the shell, which eats the backslash of
  # my\x2ddata.mount: such a unit would never pass.
  systemd_unit "#{folder.unit}.mount" do
    content folder.mount_text
    verify false
    action folder.at_boot? ? %i(create enable) : :create
  end

  systemd_unit "#{folder.unit}.automount" do
    content folder.automount_text
    verify false
    action mountable ? %i(create enable start) : :create
  end

  unless mountable
    Chef::Log.warn(
      "#{new_resource.path} is not mounted, only described: the kernel under this host can't mount #{new_resource.type}"
    )
  end
end

# Whoever works in it isn't disturbed: it goes at the next boot.
action :forget do
  folder = Orchestrate::SharedFolder.new(new_resource.path)

  %w(automount mount).each do |kind|
    systemd_unit "#{folder.unit}.#{kind}" do
      action %i(disable delete)
    end
  end
end
