# frozen_string_literal: true

module StandIn
  # Converges the resources of one context: each in its turn with what it notifies, at the end what was
  # put off, also when a resource failed.
  class Runner
    def initialize(context)
      @context = context
      @waiting = []
    end

    def converge
      failures = collect { run_all }
      @context.delayed.each { |notification| failures += collect { run_delayed(notification) } }
      return if failures.empty?

      raise failures.size == 1 ? failures.first : SeveralFailed.new(failures)
    end

    # In unified mode, a resource's turn is where it is declared.
    def run_declared(resource)
      @context.connect_subscriptions(all: false)
      resource.action.each { |action| run_action(resource, action) }
      due, @waiting = @waiting.partition { |notification| notification.target == resource.declared_key }
      due.each { |notification| run_action(resource, notification.action, :immediate, notification.sender) }
    end

    # One action of a resource, what must happen before it, and what follows from its change.
    def run_action(resource, action, timing = nil, sender = nil)
      run_before(resource, action, timing, sender)
      resource.run_action(action, timing, sender)
      return unless resource.updated_by_last_action?

      @context.notifications(resource, :immediate).each { |notification| run_immediate(notification) }
      @context.notifications(resource, :delayed).each { |notification| put_off(notification) }
    end

    private

    # Errors of the resources themselves end the run like those of Ruby.
    def collect
      yield
      []
    rescue StandardError, ScriptError => e
      [e]
    end

    def run_all
      @context.connect_subscriptions
      return resolve_all if @context.unified_mode

      resolve_all
      @context.resource_collection.each do |resource|
        resource.action.each { |action| run_action(resource, action) }
      end
    end

    def resolve_all
      @context.resource_collection.each do |resource|
        resource.notifications.each { |notification| notification.resolve(@context) }
      end
    end

    # Would it change? Only then the others go first.
    def run_before(resource, action, timing, sender)
      before = @context.notifications(resource, :before)
      return if before.empty?

      only_looking { resource.run_action(action, timing, sender) }
      return unless resource.updated_by_last_action?

      resource.updated_by_last_action(false)
      before.each do |notification|
        notification.resolve(@context)
        run_action(notification.target, notification.action, :before, resource)
      end
    end

    def only_looking
      before = Chef::Config[:why_run]
      Chef::Config[:why_run] = true
      yield
    ensure
      Chef::Config[:why_run] = before
    end

    def run_immediate(notification)
      notification.resolve(@context)
      run_action(notification.target, notification.action, :immediate, notification.sender)
    rescue UnknownName
      raise unless @context.unified_mode

      @waiting << notification
    end

    # An action of an outer context's resource waits for the end of that one.
    def put_off(notification)
      notification.resolve(@context)
      notification.target.run_context.add_delayed(notification)
    rescue UnknownName
      raise unless @context.unified_mode

      @context.add_delayed(notification)
    end

    def run_delayed(notification)
      notification.resolve(@context)
      run_action(notification.target, notification.action, :delayed, notification.sender)
    end
  end
end
