# frozen_string_literal: true

module StandIn
  # "When `sender` changes, run `action` of `target`": at once, before it, or at the end.
  class Notification
    TIMINGS = {
      immediate: :immediate, immediately: :immediate, delayed: :delayed, before: :before
    }.freeze

    attr_reader :sender, :target, :action, :timing, :where

    def initialize(sender, action, target, timing, where)
      # Chef takes an array in `subscribes`, and none here.
      refuse("#{sender} notifies one resource at a time, not #{target.inspect}", where) if target.is_a?(Array)

      @sender = sender
      @action = action
      @target = target
      @where = where
      @timing = TIMINGS[timing.to_sym] ||
                refuse("`#{timing}' is no time for a notification, say :immediately, :delayed or :before", where)
    end

    # Finds the resource that `target` names; it may be declared after the sender.
    def resolve(context)
      return if @target.is_a?(Resource)

      @target = context.find(@target)
    rescue UnknownName => e
      raise UnknownName.new("#{sender} notifies what isn't there: #{e.message}", where: where)
    end

    # The same thing done to the same resource, whoever asked for it.
    def same_as?(other)
      action == other.action && (target.equal?(other.target) || (target.is_a?(String) && target == other.target))
    end

    private

    def refuse(text, where)
      raise PropertyError.new(text, where: where)
    end
  end
end
