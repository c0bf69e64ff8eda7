unified_mode true

provides :nvidia_pinned_packages
description 'Holds packages at a version, and with them all that they depend on of the same archive'

property :pin, String, name_property: true, description: 'Name of the file'
property :patterns, Array, required: true, description: 'Names of packages; `*` fits anything'
property :version, String, required: true, description: 'Their version; `*` fits anything'

action :pin do
  file "/etc/apt/preferences.d/orchestrate-#{new_resource.pin}" do
    content <<~PIN
      # Managed by orchestrate.
      Package: #{new_resource.patterns.join(' ')}
      Pin: version #{new_resource.version}
      Pin-Priority: 1001
    PIN
    owner 'root'
    group 'root'
    mode '0644'
  end
end
