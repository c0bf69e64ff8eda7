# frozen_string_literal: true

require_relative "../systemctl"

module StandIn
  module Resources
    # A service of systemd.
    class Service < Resource
      provides :service
      provides :systemd_service
      property :service_name, String, name_property: true
      property :supports, Hash, default: {}
      property :timeout, Integer
      default_action :nothing

      action :enable do
        next if fixed?(unit) || masked?(unit) || enabled?(unit)

        converge_by("enable service #{unit}") { systemctl("enable", unit) }
      end

      action :disable do
        next if fixed?(unit) || masked?(unit) || !enabled?(unit)

        converge_by("disable service #{unit}") { systemctl("disable", unit) }
      end

      action :start do
        converge_by("start service #{unit}") { systemctl("start", unit) } unless active?(unit)
      end

      action :stop do
        converge_by("stop service #{unit}") { systemctl("stop", unit) } if active?(unit)
      end

      action :restart do
        converge_by("restart service #{unit}") { systemctl("restart", unit) }
      end

      action :reload do
        converge_by("reload service #{unit}") { systemctl("reload", unit) } if active?(unit)
      end

      action :mask do
        converge_by("mask service #{unit}") { systemctl("mask", unit) } unless masked?(unit)
      end

      action :unmask do
        converge_by("unmask service #{unit}") { systemctl("unmask", unit) } if masked?(unit)
      end

      action_class do
        include Systemctl

        def unit
          new_resource.service_name
        end
      end
    end
  end
end
