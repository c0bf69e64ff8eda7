# frozen_string_literal: true

module StandIn
  # What the stand-in refuses or could not do. `where` is "file:line" of the cookbook, if known.
  class Error < StandardError
    attr_reader :where

    def initialize(message, where: nil)
      @where = where
      super(message)
    end
  end

  # The command line, client.rb or the node's JSON is wrong.
  class ConfigurationError < Error; end

  # A cookbook, role or file of theirs is missing, or one needs another that is missing.
  class CookbookError < Error; end

  # A name that a cookbook uses and the stand-in doesn't know: it may exist in Chef.
  class UnknownName < Error; end

  # A property was given a value it doesn't take, or wasn't given one it needs.
  class PropertyError < Error; end

  # Node attributes are read through `node[...]` and written at a level only.
  class ReadOnlyAttribute < Error
    def initialize
      super("node attributes are written at a level: node.default['a']['b'] = …, never node['a']['b'] = …")
    end
  end

  # A resource could not be converged. Its cause is the error of the action.
  class ResourceFailed < Error
    attr_reader :resource

    def initialize(resource, cause)
      @resource = resource
      super(
        "#{resource} (#{resource.defined_at}) had an error: #{cause.class}: #{cause.message}",
        where: Place.of_error(cause) || resource.where
      )
    end
  end

  # More than one resource failed: one in its turn, others in delayed notifications.
  class SeveralFailed < Error
    attr_reader :failures

    def initialize(failures)
      @failures = failures
      places = failures.map(&:message).each_with_index.map { |text, number| "#{number + 1}) #{text}" }
      super("#{failures.size} failures: #{places.join("\n")}", where: Place.of_error(failures.first))
    end
  end
end
