# frozen_string_literal: true

require "forwardable"

module StandIn
  # A list of resources and what belongs to it. The recipes have one; each action of a custom resource
  # has its own, inside the one its resource is in.
  class RunContext
    SPEC = /\A(?<type>\w+)\[(?<name>.*)\]\z/m

    attr_reader :parent, :resource_collection, :delayed, :subscriptions, :runner, :unified_mode

    def initialize(run, parent: nil, unified_mode: false)
      @run = run
      @parent = parent
      @unified_mode = unified_mode
      @resource_collection = []
      @delayed = []
      @subscriptions = []
      @runner = Runner.new(self)
    end

    extend Forwardable
    def_delegators :@run, :node, :cookbooks, :events, :configuration, :load_recipe, :loaded_recipes

    def child(unified_mode)
      RunContext.new(@run, parent: self, unified_mode: unified_mode)
    end

    # Takes a resource in, and converges it where that is not left for later.
    def add(resource)
      resource_collection << resource
      if unified_mode
        runner.run_declared(resource)
      elsif resource.compile_time
        resource.action.each { |action| runner.run_action(resource, action) }
        resource.action(:nothing)
      end
      resource
    end

    # The resource that "file[/etc/motd]" names; the last one where several have that name.
    def find(spec)
      return spec if spec.is_a?(Resource)

      parts = SPEC.match(spec.to_s) || raise(UnknownName, "`#{spec}' is no name of a resource, write kind[name]")
      lookup(parts[:type].to_sym, parts[:name]) || raise(UnknownName, "no resource #{spec}#{hint(spec)}")
    end

    def lookup(type, name)
      found = resource_collection.rindex { |one| one.declared_type == type && one.title == name }
      found ? resource_collection[found] : parent&.lookup(type, name)
    end

    # As in Chef, they belong to the name: of two resources called the same, a change of either sends
    # what both notify.
    def notifications(resource, timing)
      same = resource_collection.select { |one| one.declared_key == resource.declared_key } | [resource]
      same.flat_map { |one| one.notifications(timing) }
    end

    Subscription = Struct.new(:subscriber, :action, :source, :timing, :where)

    def subscribe(*details)
      @subscriptions << Subscription.new(*details)
    end

    # Turns "I act when X changes" into a notification of X, where X is declared by now.
    def connect_subscriptions(all: true)
      @subscriptions = @subscriptions.reject { |one| connect(one, all) }
    end

    # Queues what shall happen at the end, once however many ask for it.
    def add_delayed(notification)
      delayed << notification unless delayed.any? { |queued| queued.same_as?(notification) }
    end

    def names
      resource_collection.map(&:declared_key) + (parent ? parent.names : [])
    end

    private

    def connect(one, needed)
      source = find(one.source)
      source.add_notification(Notification.new(source, one.action, one.subscriber, one.timing, one.where))
    rescue UnknownName => e
      if needed
        raise UnknownName.new("#{one.subscriber} subscribes to what isn't there: #{e.message}",
                              where: one.where)
      end
    end

    def hint(spec)
      Nearest.hint(spec, names)
    end
  end
end
