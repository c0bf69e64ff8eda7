# frozen_string_literal: true

module StandIn
  # What systemd knows of a unit, for the actions of services and units.
  module Systemctl
    ENABLED = %w[enabled enabled-runtime static generated alias indirect].freeze

    def systemctl(*words)
      shell_out!("systemctl", "--system", *words, default_env: false)
    end

    def status(unit)
      @status ||= shell_out!("systemctl", "--system", "show", "-p", "UnitFileState", "-p", "ActiveState", unit)
                  .stdout.lines(chomp: true).to_h { |line| line.split("=", 2) }
    end

    def active?(unit)
      status(unit)["ActiveState"] == "active"
    end

    def enabled?(unit)
      ENABLED.include?(status(unit)["UnitFileState"])
    end

    def masked?(unit)
      status(unit)["UnitFileState"] == "masked"
    end

    # A unit that can be neither enabled nor disabled.
    def fixed?(unit)
      %w[static indirect].include?(status(unit)["UnitFileState"])
    end
  end
end
