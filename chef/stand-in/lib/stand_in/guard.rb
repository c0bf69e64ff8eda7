# frozen_string_literal: true

module StandIn
  # A condition of a resource: only_if or not_if, a block or a command of the shell.
  class Guard
    OPTIONS = %i[cwd environment user group umask timeout].freeze

    attr_reader :kind

    def initialize(kind, resource, command, options, block)
      unknown = options.keys - OPTIONS
      problem = "unknown option #{unknown.join(', ')}" if unknown.any?
      problem ||= "needs a command or a block" unless command || block
      raise PropertyError.new("#{kind}: #{problem}", where: resource.calling_place) if problem

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
      @block ? kind.to_s : "#{kind} `#{Array(@command).join(' ')}`"
    end
    alias description to_s

    private

    # As in Chef, a command that takes too long counts as false; one that can't be started is an error.
    def succeeds?
      options = @resource.guard_defaults.merge(@options)
      @resource.shell_out(@command, **options).exitstatus.zero?
    rescue Mixlib::ShellOut::CommandTimeout => e
      Chef::Log.warn("#{self} of #{@resource} took too long: #{e.message}")
      false
    end
  end
end
