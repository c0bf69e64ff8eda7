# frozen_string_literal: true

require "did_you_mean"

module StandIn
  # Names near to one that is wrong, for messages.
  module Nearest
    # " (did you mean `directory'?)", or "" where nothing is near.
    def self.hint(wrong, names)
      near = DidYouMean::SpellChecker.new(dictionary: names.map(&:to_s)).correct(wrong.to_s).first(3)
      near.empty? ? "" : " (did you mean #{near.map { |name| "`#{name}'" }.join(' or ')}?)"
    end
  end
end
