# The NVIDIA devices of this host, as PCI lists them: there before any driver is.
module Orchestrate
  class Gpus
    VENDOR = '0x10de'.freeze
    # pci-ids.ucw.cz/read/PD/03 and 06: VGA and 3D controllers; bridges, as NVSwitch shows itself.
    DISPLAY = %w(0x0300 0x0302).freeze
    BRIDGE = %w(0x0680).freeze

    def initialize(devices = '/sys/bus/pci/devices')
      @devices = devices
    end

    def count
      classes.count { |one| DISPLAY.include?(one) }
    end

    def any?
      count.positive?
    end

    # Cards that are joined by switches need the fabric manager before CUDA starts.
    def switched?
      classes.any? { |one| BRIDGE.include?(one) }
    end

    # Whether the driver belongs on this host, and why. `orchestrate` is node['orchestrate'].
    #
    # An image is baked on a machine without a card. A container never gets a driver: that is part
    # of the kernel, which is another's.
    def driver_wanted(setting, orchestrate, container:)
      return [setting == 'always', "node['nvidia']['install'] says so"] unless setting == 'auto'
      return [false, 'this is a container; drivers belong to the machine it runs on'] if container
      return [true, "#{count} cards are present"] if any?
      return [true, 'an image for hosts with cards is baked'] if orchestrate['place'].nil?
      return [true, "#{orchestrate['gpus']} cards should be here, and none is"] if orchestrate['gpus'].to_i.positive?

      [false, 'no card is present, and none should be']
    end

    private

    def classes
      Dir.glob("#{@devices}/*").select { |device| File.read("#{device}/vendor").strip == VENDOR }
         .map { |device| File.read("#{device}/class").strip[0, 6] }
    end
  end
end
