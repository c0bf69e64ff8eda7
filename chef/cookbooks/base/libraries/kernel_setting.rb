# One setting of the running kernel, by its name in sysctl(8).
module Orchestrate
  class KernelSetting
    def initialize(name, root: '/proc/sys')
      @path = File.join(root, name.tr('.', '/'))
    end

    # nil where the kernel, as it runs now, has no such setting.
    def value
      File.read(@path).split.join(' ') if File.exist?(@path)
    rescue SystemCallError
      nil
    end

    def is?(wanted)
      value == wanted.to_s.split.join(' ')
    end

    # Not so in a container, where most are read-only.
    def writable?
      File.writable?(@path)
    end

    def set(wanted)
      File.write(@path, wanted.to_s)
    end
  end
end
