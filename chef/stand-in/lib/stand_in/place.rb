# frozen_string_literal: true

module StandIn
  # Where in the cookbooks something was written: "cookbooks/base/recipes/sshd.rb:12".
  module Place
    KINDS = "attributes|libraries|recipes|resources|templates|metadata"
    INSIDE = %r{(?:\A|/)((?:cookbooks/[^/]+/(?:#{KINDS})\b|roles/)[^:]*)}

    module_function

    # The innermost line of a cookbook among the callers, as [path, line], or nil.
    def calling
      frame = caller_locations(2).find { |location| cookbook_file?(location.path) }
      frame && [frame.path, frame.lineno]
    end

    # A path as people write it, from cookbooks/ on.
    def short(path)
      path.to_s[INSIDE, 1] || path.to_s
    end

    # "file:line" of the error itself or of the innermost cookbook line in its backtrace, or nil.
    def of_error(error)
      return nil if error.nil?
      return error.where if error.respond_to?(:where) && error.where

      of_backtrace(error.backtrace) || of_error(error.cause)
    end

    def of_backtrace(lines)
      line = Array(lines).find { |text| cookbook_file?(text) }
      line && (short(line)[/\A[^:]+/] + line[/:\d+/])
    end

    def cookbook_file?(path)
      INSIDE.match?(path.to_s)
    end
  end
end
