# What the kernel under this host has and allows. A host can be a container, whose kernel belongs to
# somebody else: cookbooks then write their files, and leave out what only the kernel's owner can do.
module Orchestrate
  module RunningKernel
    # From linux/capability.h.
    SYS_MODULE = 16

    module_function

    # systemd writes this in every container, before anything else runs.
    def container?(marker = '/run/systemd/container')
      File.exist?(marker)
    end

    # Whether it can mount a file system of this type: it has it, or a module of it.
    def filesystem?(type, mod = type, list: '/proc/filesystems')
      File.readlines(list).any? { |line| line.split.last == type } || loadable?(mod)
    end

    def loaded?(mod)
      File.directory?("/sys/module/#{mod.tr('-', '_')}")
    end

    # Whether modprobe would find the module, and may load it.
    def loadable?(mod, modules: "/lib/modules/#{release}/modules.dep")
      allowed?(SYS_MODULE) && File.exist?(modules) &&
        File.foreach(modules).any? { |line| line.match?(%r{/#{mod.tr('-_', '.')}\.ko(\.\w+)?:}) }
    end

    # Whether this process, root as it is, has a capability.
    def allowed?(capability, status = '/proc/self/status')
      mask = File.foreach(status).find { |line| line.start_with?('CapEff:') }
      mask.split.last.hex.anybits?(1 << capability)
    end

    def release
      File.read('/proc/sys/kernel/osrelease').strip
    end
  end
end
