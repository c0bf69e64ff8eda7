# The kernel's packages on a host whose driver is built for each kernel.
module Orchestrate
  class KernelPackages
    # `release` is the running kernel's, as in uname(1).
    def initialize(release, packages: '/var/lib/dpkg/info', modules: '/lib/modules')
      @release = release
      @packages = packages
      @modules = modules
    end

    # The kernel and its headers, of one version and by the names that lead to the newest. 6.1.0-28-cloud-amd64
    # has the flavour cloud-amd64, 6.8.0-1015-aws has aws; Ubuntu has several lines of one flavour, such as
    # generic and generic-hwe-22.04, and only the one that is installed fits.
    def names
      %W(linux-image-#{line} linux-headers-#{line})
    end

    # Whether a driver can be built for the kernel that the next boot starts.
    def headers?
      newest = Dir.children(@modules).max_by { |name| Gem::Version.new(name[/\A[\d.]+(-\d+)?/].to_s.tr('-', '.')) }
      !newest.nil? && built_for?(newest)
    rescue Errno::ENOENT
      false
    end

    # Whether a driver can be built for the kernel that runs.
    def running?
      built_for?(@release)
    end

    private

    def built_for?(release)
      File.directory?(File.join(@modules, release, 'build'))
    end

    def flavour
      @release.sub(/\A[\d.]+(\+\w+)?(-\d+)?-/, '')
    end

    def line
      wanted = /\Alinux-image-(#{Regexp.escape(flavour)}(?:-(?:hwe|lts)-.+)?)\.list\z/
      Dir.children(@packages).filter_map { |name| name[wanted, 1] }.max_by(&:length) || flavour
    end
  end
end
