unified_mode true

provides :base_packet_rules
description 'Rules of nftables in a table of their own, in force before the network is up'

property :table, String, name_property: true, description: 'orchestrate_TABLE, and TABLE.service'
property :purpose, String, required: true, description: 'What the rules see to, in a sentence'
property :chains, String, required: true, description: 'Chains of the table, as in nft(8)'

action :apply do
  package 'nftables'

  directory '/etc/nftables.d' do
    owner 'root'
    group 'root'
    mode '0755'
  end

  written = file path do
    content text
    owner 'root'
    group 'root'
    mode '0644'
    # A run that only looks comes here before the package is there.
    verify 'test ! -x /usr/sbin/nft || nft --check --file %{path}'
  end

  # On its own: nftables.service would flush what others, like the container runtime, have set. Where
  # somebody starts it all the same, this comes after.
  systemd_unit "#{new_resource.table}.service" do
    content <<~UNIT
      # Managed by orchestrate.
      [Unit]
      Description=#{new_resource.purpose}
      DefaultDependencies=no
      After=nftables.service
      Before=network-pre.target ssh.service shutdown.target
      Wants=network-pre.target
      PartOf=nftables.service
      Conflicts=shutdown.target

      [Service]
      Type=oneshot
      RemainAfterExit=yes
      ExecStart=/usr/sbin/nft --file #{path}

      [Install]
      WantedBy=sysinit.target
    UNIT
    action %i(create enable)
  end

  service new_resource.table do
    action written.updated_by_last_action? ? :restart : :start
  end
end

action_class do
  def path
    "/etc/nftables.d/orchestrate-#{new_resource.table}.nft"
  end

  # Read anew as a whole: the first two lines take away what was there.
  def text
    table = "table inet orchestrate_#{new_resource.table}"
    <<~RULES
      #!/usr/sbin/nft --file
      # Managed by orchestrate. #{new_resource.purpose}.
      #{table}
      delete #{table}
      #{table} {
      #{new_resource.chains.gsub(/^(?=.)/, '  ').chomp}
      }
    RULES
  end
end
