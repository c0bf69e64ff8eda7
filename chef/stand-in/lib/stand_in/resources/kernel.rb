# frozen_string_literal: true

module StandIn
  module Resources
    # A kernel parameter, now and from the next boot on.
    class Sysctl < Resource
      provides :sysctl
      provides :sysctl_param
      unified_mode true
      property :key, String, name_property: true
      property :value, [Array, String, Integer, Float], required: [:apply],
                                                        coerce: proc { |given| [given].flatten.join(" ") }
      property :comment, [Array, String], default: [], desired_state: false
      property :conf_dir, String, default: "/etc/sysctl.d"
      property :ignore_error, [true, false], default: false, desired_state: false

      # Only where the kernel and the file agree is the parameter as it was set here.
      load_current_value do
        running = shell_out("sysctl", "-n", "-e", key).stdout.tr("\t", " ").strip
        written = ::File.file?(path) && ::File.read(path)[/^[^#\n].* = (.*)$/, 1]
        current_value_does_not_exist! unless running == written
        value running
      end

      def path
        ::File.join(conf_dir, "99-chef-#{key.tr('/', '.')}.conf")
      end

      action :apply do
        converge_if_changed { write_and_load }
      end

      action :remove do
        next unless ::File.exist?(new_resource.path)

        converge_by("remove #{new_resource.path}") do
          file(new_resource.path) { action :delete }
          shell_out!("sysctl", "-p")
        end
      end

      action_class do
        def write_and_load
          quiet = new_resource.ignore_error ? ["-e"] : []
          shell_out!("sysctl", *quiet, "-w", "#{new_resource.key}=#{new_resource.value}")
          comments = Array(new_resource.comment).map { |line| "# #{line.strip}" }
          text = [*comments, "#{new_resource.key} = #{new_resource.value}"]
          directory new_resource.conf_dir
          file(new_resource.path) { content "#{text.join("\n")}\n" }
          shell_out!("sysctl", *quiet, "-p")
        end
      end
    end

    # A module of the kernel: loaded now and at boot, or kept out.
    class KernelModule < Resource
      provides :kernel_module
      unified_mode true
      property :modname, String, name_property: true
      property :options, Array
      property :load_dir, String, default: "/etc/modules-load.d"
      property :unload_dir, String, default: "/etc/modprobe.d"

      action :install do
        action_enable
        module_name, words = new_resource.modname, new_resource.options
        file(conf("options_")) { content "options #{module_name} #{words.join(' ')}\n" } if words
        action_load
        directory(new_resource.load_dir) { recursive true }
        boot_file("#{new_resource.load_dir}/#{module_name}.conf", "#{module_name}\n")
      end

      action :uninstall do
        boot_file("#{new_resource.load_dir}/#{new_resource.modname}.conf", nil)
        boot_file(conf("blacklist_"), nil)
        file(conf("options_")) { action :delete }
        action_unload
      end

      action :blacklist do
        boot_file(conf("blacklist_"), "blacklist #{new_resource.modname}")
        action_unload
      end

      action :disable do
        boot_file(conf("disable_"), "install #{new_resource.modname} /bin/false")
        action_unload
      end

      action(:enable) { boot_file(conf("disable_"), nil) }

      action :load do
        unless loaded?
          converge_by("load kernel module #{new_resource.modname}") do
            shell_out!("modprobe", new_resource.modname)
          end
        end
      end

      action :unload do
        if loaded?
          converge_by("unload kernel module #{new_resource.modname}") do
            shell_out!("modprobe", "-r", new_resource.modname)
          end
        end
      end

      action_class do
        def conf(prefix)
          "#{new_resource.unload_dir}/#{prefix}#{new_resource.modname}.conf"
        end

        # As in Chef, any loaded module whose name begins so counts.
        def loaded?
          ::File.read("/proc/modules").match?(/^#{Regexp.escape(new_resource.modname)}/)
        end

        # A file that the boot image has a copy of. nil: no such file.
        def boot_file(path, text)
          outermost.lookup(:execute, "update initramfs") || declare_update
          file path do
            text ? content(text) : action(:delete)
            notifies :run, "execute[update initramfs]", :delayed
          end
        end

        def outermost
          context = run_context
          context = context.parent while context.parent
          context
        end

        def declare_update
          update = Execute.new("update initramfs", outermost, declared_type: :execute)
          update.command("update-initramfs -u")
          update.action(:nothing)
          outermost.resource_collection << update
        end
      end
    end
  end
end
