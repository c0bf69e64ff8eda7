# frozen_string_literal: true

module StandIn
  module Resources
    # A file system in its place: now (:mount), and in /etc/fstab (:enable).
    class Mount < Resource
      FSTAB = "/etc/fstab"
      WITHOUT_DEVICE = %w[cgroup tmpfs fuse vboxsf zfs efivarfs].freeze

      WORDS = proc { |given| (given.is_a?(String) ? given.split(",") : given.to_a).map(&:strip) }
      FLAGS = proc { |given| given.is_a?(Array) ? given.to_h { |name| [name, true] } : given }

      provides :mount
      property :mount_point, String, name_property: true, coerce: proc { |given| given.sub(%r{(?<=.)/\z}, "") }
      property :device, String, required: true
      property :device_type, [String, Symbol], default: :device, coerce: proc(&:to_sym), equal_to: %i[device label uuid]
      property :fstype, [String, nil], default: "auto"
      property :options, [Array, String, nil], default: ["defaults"], coerce: WORDS
      property :dump, [Integer, false], default: 0
      property :pass, [Integer, false], default: 2
      property :supports, [Array, Hash], default: { remount: false }, coerce: FLAGS

      action :mount do
        next if mounted?

        converge_by("mount #{new_resource.device} to #{point}") { mount_it }
      end

      action :umount do
        converge_by("unmount #{point}") { shell_out!("umount", point) } if mounted?
      end

      action(:unmount) { action_umount }

      action :remount do
        next unless mounted?

        converge_by("remount #{point}") do
          new_resource.supports[:remount] ? shell_out!("mount", "-o", "remount,#{options}", point) : anew
        end
      end

      action :enable do
        next if entry == wanted_entry

        converge_by("enable #{new_resource.device} at #{point}") { rewrite(wanted_entry) }
      end

      action :disable do
        converge_by("disable #{new_resource.device} at #{point}") { rewrite(nil) } if entry
      end

      action_class do
        def point
          new_resource.mount_point
        end

        def options
          new_resource.options.join(",")
        end

        # What is mounted there last is what is seen there.
        def mounted?
          place = ::File.exist?(point) ? ::File.realpath(point) : point
          last = ::File.readlines("/proc/self/mounts").map(&:split).select { |fields| plain(fields[1]) == place }.last
          last ? devices.include?(plain(last[0]).sub(%r{(?<=[^:])/\z}, "")) : false
        end

        # The kernel writes spaces and the like as octal numbers.
        def plain(text)
          text.gsub(/\\(\d{3})/) { Regexp.last_match(1).to_i(8).chr }
        end

        def devices
          real = device
          ::File.symlink?(real) ? [real, ::File.realpath(real)] : [real]
        end

        # The block device, whatever names it.
        def device
          return trimmed if new_resource.device_type == :device

          shell_out("findfs", source).stdout.lines.first.to_s.chomp
        end

        def trimmed
          new_resource.device.match?(%r{\A/\z|:/\z}) ? new_resource.device : new_resource.device.chomp("/")
        end

        def source
          { device: trimmed, label: "LABEL=#{trimmed}", uuid: "UUID=#{trimmed}" }.fetch(new_resource.device_type)
        end

        def mount_it
          raise Error, "device #{new_resource.device} does not exist" if needs_device? && !::File.exist?(device)
          raise Error, "mount point #{point} does not exist" unless ::File.exist?(point)

          given = options.empty? ? [] : ["-o", options]
          shell_out!("mount", "-t", new_resource.fstype || "auto", *given, source, point)
        end

        def needs_device?
          named = new_resource.device
          remote = named.include?(":") || named.include?("//")
          !remote && named != "none" && !WITHOUT_DEVICE.include?(new_resource.fstype)
        end

        def anew
          shell_out!("umount", point)
          mount_it
        end

        # The fields of this mount in fstab, or nil.
        def entry
          lines.map(&:split).select { |fields| ours?(fields) }.last
        end

        def wanted_entry
          shown = new_resource.options.empty? ? "defaults" : options
          numbers = [new_resource.dump, new_resource.pass].map { |number| (number || 0).to_s }
          [source, point, new_resource.fstype || "auto", shown, *numbers]
        end

        def ours?(fields)
          fields[1] == point && [source, *devices].include?(fields[0].to_s.sub(%r{(?<=[^:])/\z}, ""))
        end

        def lines
          ::File.exist?(FSTAB) ? ::File.readlines(FSTAB, chomp: true) : []
        end

        # In its old place where it has one, else at the end; nil: without it.
        def rewrite(fields)
          index = lines.rindex { |line| !line.start_with?("#") && ours?(line.split) }
          text = fields&.join(" ")
          kept = lines
          index ? kept[index] = text : kept << text
          ::File.write(FSTAB, kept.compact.map { |line| "#{line}\n" }.join)
        end
      end
    end
  end
end
