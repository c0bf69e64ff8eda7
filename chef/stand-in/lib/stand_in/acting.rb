# frozen_string_literal: true

module StandIn
  # How a resource does one of its actions: guards, retries, umask, and what becomes of an error.
  class Resource
    def run_action(action, timing = nil, sender = nil)
      checked_action(action)
      @updated_by_last_action = false
      events.resource_action_start(self, action, timing, sender)
      attempt(action)
    ensure
      events.resource_completed(self)
    end

    private

    def events
      run_context.events
    end

    def attempt(action)
      tries_left = retries
      begin
        return if skip?(action)

        with_umask { act(action) }
      rescue StandardError => e
        e = MissingAttribute.explained(e, node)
        return ignore(action, e) if ignore_failure
        return fail_with(action, e) if tries_left.zero?

        events.resource_failed_retriable(self, action, tries_left, e)
        tries_left -= 1
        sleep retry_delay
        retry
      end
    end

    def skip?(action)
      unmet = action == :nothing ? :nothing : guards.find { |guard| !guard.met? }
      events.resource_skipped(self, action, unmet) if unmet
      unmet
    end

    def act(action)
      self.class.action_class.new(self, run_context, action).run
      if updated_by_last_action?
        events.resource_updated(self, action)
      else
        events.resource_up_to_date(self, action)
      end
    end

    def ignore(action, error)
      unless ignore_failure.to_s == "quiet"
        Chef::Log.error("#{self} (#{defined_at}): #{error.message}; ignore_failure is set, going on")
      end
      events.resource_failed(self, action, error)
    end

    # The innermost resource says where; the ones around it pass the error on.
    def fail_with(action, error)
      events.resource_failed(self, action, error)
      raise error.is_a?(ResourceFailed) ? error : ResourceFailed.new(self, error)
    end

    def with_umask
      before = File.umask(umask.to_i(8)) if umask
      yield
    ensure
      File.umask(before) if before
    end
  end
end
