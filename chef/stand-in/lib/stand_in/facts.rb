# frozen_string_literal: true

require "ohai"

module StandIn
  # The automatic attributes: what ohai finds out about this host.
  #
  # Only the plugins that give these attributes run; all of them take ten times as long, and some ask
  # clouds and compilers. An attribute that isn't among them is nil, as it is in Chef on a host whose
  # plugin found nothing.
  module Facts
    ATTRIBUTES = %w[
      os os_version kernel platform platform_family platform_version lsb hostname machinename fqdn domain
      network ipaddress macaddress memory cpu virtualization init_package root_group machine_id
    ].freeze

    def self.gather
      Ohai::Log.level = :fatal
      system = Ohai::System.new({})
      system.all_plugins(ATTRIBUTES)
      system.data.to_hash
    end
  end
end
