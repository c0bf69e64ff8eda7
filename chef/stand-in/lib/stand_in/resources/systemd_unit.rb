# frozen_string_literal: true

require "iniparse"
require_relative "../systemctl"

module StandIn
  module Resources
    # A unit file in /etc/systemd/system and its unit: content as text, or as sections of options.
    class SystemdUnit < Resource
      VERBS = {
        restart: "restarting", reenable: "reenabling", preset: "presetting", revert: "reverting",
        try_restart: "try-restarting", reload_or_restart: "reload-or-restarting",
        reload_or_try_restart: "reload-or-try-restarting"
      }.freeze

      provides :systemd_unit
      unified_mode true
      property :unit_name, String, name_property: true, desired_state: false
      property :content, [String, Hash]
      property :triggers_reload, [true, false], default: true, desired_state: false
      property :verify, [true, false], default: true, desired_state: false
      default_action :nothing

      def to_ini
        return content.to_s unless content.is_a?(Hash)

        IniParse.gen do |document|
          content.each do |name, options|
            document.section(name, option_sep: "=") do |section|
              options.each { |option, value| [value].flatten.each { |one| section.option(option, one) } }
            end
          end
        end.to_s
      end

      action :create do
        next if ::File.exist?(path) && ::File.read(path) == new_resource.to_ini

        converge_by("creating unit: #{unit}") { place }
      end

      action :delete do
        next unless ::File.exist?(path)

        converge_by("deleting unit: #{unit}") do
          file(path) { action :delete }
          daemon_reload
        end
      end

      action :enable do
        converge_by("enabling unit: #{unit}") { systemctl("enable", unit) } unless enabled?(unit) || fixed?(unit)
      end

      action :disable do
        converge_by("disabling unit: #{unit}") { systemctl("disable", unit) } if enabled?(unit) && !fixed?(unit)
      end

      action :mask do
        converge_by("masking unit: #{unit}") { systemctl("mask", unit) } unless masked?(unit)
      end

      action :unmask do
        converge_by("unmasking unit: #{unit}") { systemctl("unmask", unit) } if masked?(unit)
      end

      action :start do
        converge_by("starting unit: #{unit}") { systemctl("start", unit) } unless active?(unit)
      end

      action :stop do
        converge_by("stopping unit: #{unit}") { systemctl("stop", unit) } if active?(unit)
      end

      action :reload do
        converge_by("reloading unit: #{unit}") { systemctl("reload", unit) } if active?(unit)
      end

      VERBS.each do |verb, text|
        action verb do
          converge_by("#{text} unit: #{unit}") { systemctl(verb.to_s.tr("_", "-"), unit) }
        end
      end

      action_class do
        include Systemctl

        def unit
          new_resource.unit_name
        end

        def path
          "/etc/systemd/system/#{unit}"
        end

        def place
          text, hidden = new_resource.to_ini, new_resource.sensitive
          check = method(:valid?).to_proc if new_resource.verify && which("systemd-analyze")
          file path do
            owner "root"
            group "root"
            mode "0644"
            content text
            sensitive hidden
            verify(&check) if check
          end
          daemon_reload
        end

        # systemd wants to see a unit under its own name. As in Chef, that is in a line for the shell, which
        # eats backslashes.
        def valid?(new_file)
          Dir.mktmpdir("stand-in-unit") do |folder|
            copy = ::File.join(folder, unit)
            FileUtils.cp(new_file, copy)
            done = shell_out("systemd-analyze verify #{copy}")
            raise Error, "systemd-analyze: #{done.stdout}#{done.stderr}".strip if done.error?
          end
          true
        end

        def daemon_reload
          systemctl("daemon-reload") if new_resource.triggers_reload
        end
      end
    end
  end
end
