# A shared folder as systemd mounts it.
module Orchestrate
  class SharedFolder
    # Boot neither waits for it nor fails without it: storage on a network comes back when it does.
    ALWAYS = %w(_netdev nofail).freeze
    OURS = '# Managed by orchestrate.'.freeze
    # A session requires the mount of its home. What is skipped, unlike what fails, is no hindrance.
    SKIPPED = "# This kernel has no NFS.\nConditionPathExists=/proc/fs/nfsfs".freeze

    # Where those are mounted that this cookbook wrote units for.
    def self.known(units = '/etc/systemd/system')
      texts = Dir.glob("#{units}/*.automount").map { |path| File.read(path) }
      texts.select { |text| text.start_with?(OURS) }.map { |text| text[/^Where=(.*)$/, 1] }
    end

    def initialize(path, source: nil, type: nil, options: '')
      @path = path
      @source = source
      @type = type
      @options = options.split(',')
    end

    # systemd.unit(5): `/` becomes `-`, and what may not stand in a name is written in hex.
    def unit
      path = @path.delete_prefix('/').gsub(%r{[^A-Za-z0-9:_./]}) do |odd|
        odd.bytes.map { |byte| format('\\x%02x', byte) }.join
      end
      path.tr('/', '-')
    end

    # Whether the kernel under this host can mount it.
    def mountable?
      nfs = @type.start_with?('nfs') || on_demand?
      nfs ? RunningKernel.filesystem?('nfs4', 'nfsv4') : RunningKernel.filesystem?(@type)
    end

    # Access points, of which there is one for each home, are mounted when somebody looks, and for as long.
    def at_boot?
      mountable? && !on_demand?
    end

    def on_demand?
      @type == 'access-point'
    end

    def mount_text
      <<~UNIT
        #{OURS}
        [Unit]
        Description=Shared folder #{@path}
        Wants=network-online.target
        After=network-online.target
        #{SKIPPED unless mountable?}

        [Mount]
        What=#{@source}
        Where=#{@path}
        Type=#{@type}
        Options=#{(@options + ALWAYS).join(',')}
        TimeoutSec=60

        #{"[Install]\nWantedBy=remote-fs.target" unless on_demand?}
      UNIT
    end

    # Mounts it when somebody looks, should it have failed at boot.
    def automount_text
      <<~UNIT
        #{OURS}
        [Unit]
        Description=Shared folder #{@path}, on demand

        [Automount]
        Where=#{@path}
        #{'TimeoutIdleSec=600' if on_demand?}

        [Install]
        WantedBy=remote-fs.target
      UNIT
    end
  end
end
