# frozen_string_literal: true

module StandIn
  # A condition of a resource: only_if or not_if, a block or a command of the shell.
  class Guard
    OPTIONS = %i[cwd environment user group umask timeout].freeze

    attr_reader :kind

    def initialize(kind, resource, command, options, block)
      unknown = options.keys - OPTIONS
      raise PropertyError.new("#{kind}: unknown option #{unknown.join(', ')}", where: resource.calling_place) if unknown.any?
      raise PropertyError.new("#{kind} needs a command or a block", where: resource.calling_place) unless command || block

      @kind = kind
      @resource = resource
      @command = command
      @options = options
      @block = block
    end

    # May the resource go on?
    def met?
      holds = @block ? @block.call : succeeds?
      kind == :only_if ? holds : !holds
    end

    def to_s
      @block ? "#{kind}" : "#{kind} `#{Array(@command).join(' ')}`"
    end
    alias description to_s

    private

    # As in Chef, a command that takes too long or can't be started counts as false.
    def succeeds?
      options = @resource.guard_defaults.merge(@options)
      @resource.shell_out(@command, **options).exitstatus.zero?
    rescue Mixlib::ShellOut::CommandTimeout, Errno::ENOENT, Errno::EACCES => e
      Chef::Log.warn("#{self} of #{@resource} could not run: #{e.message}")
      false
    end
  end
end
