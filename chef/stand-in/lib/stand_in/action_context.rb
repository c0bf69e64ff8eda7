# frozen_string_literal: true

module StandIn
  # What the action of a resource runs in. Resources declared in it are converged before it ends, and
  # the resource counts as changed when one of them did.
  class ActionContext
    include DSL::Recipe

    attr_reader :new_resource, :current_resource, :run_context, :action

    def initialize(new_resource, run_context, action)
      @new_resource = new_resource
      @outer = run_context
      @run_context = run_context.child(new_resource.class.unified_mode)
      @action = action
    end

    def run
      check_required
      @current_resource = load_current_resource
      prepare
      result = public_send(:"action_#{action}")
      run_context.runner.converge
      result
    ensure
      new_resource.updated_by_last_action(true) if run_context.resource_collection.any?(&:updated?)
    end

    def node
      run_context.node
    end

    def cookbook_name
      new_resource.cookbook_name
    end

    def recipe_name
      new_resource.recipe_name
    end

    def why_run?
      Chef::Config[:why_run]
    end
    alias whyrun_mode? why_run?

    # Does what the block does, unless this run only looks, and says so.
    def converge_by(*descriptions)
      yield unless why_run?
      new_resource.updated_by_last_action(true)
      run_context.events.resource_update_applied(new_resource, action, descriptions.flatten.compact)
    end

    # Runs the block if properties (all that describe the host, or those named) are not what they shall be.
    def converge_if_changed(*names, &block)
      wanted = Comparison.new(new_resource, current_resource, names)
      return false unless wanted.differs?

      converge_by(wanted.descriptions, &block)
      true
    end

    # For built-in resources: what must be known before any of their actions.
    def prepare; end

    private

    def check_required
      missing = new_resource.class.properties.values.select do |property|
        property.required?(action) && new_resource.read_property(property.name).nil?
      end
      return if missing.empty?

      names = missing.map { |property| "`#{property.name}'" }.join(" and ")
      raise PropertyError.new("#{new_resource} needs #{names} for :#{action}", where: new_resource.where)
    end

    # The resource as it is on the host, or nil where there is none or its class can't tell.
    def load_current_resource
      return nil unless new_resource.respond_to?(:load_current_value!)

      current = new_resource.class.new(new_resource.given_name, @outer, declared_type: new_resource.declared_type)
      copy_identity(current)
      catch(:does_not_exist) { load_value(current) } ? nil : current
    end

    def load_value(current)
      takes_wanted = current.method(:load_current_value!).arity.positive?
      takes_wanted ? current.load_current_value!(new_resource) : current.load_current_value!
      false
    end

    def copy_identity(current)
      new_resource.class.properties.each_value do |property|
        next unless new_resource.property_is_set?(property.name)
        next if property.desired_state? && !property.identity?

        current.write_property(property.name, new_resource.read_property(property.name))
      end
    end
  end

  # What of a resource is not as it shall be.
  class Comparison
    def initialize(wanted, current, names)
      @wanted = wanted
      @current = current
      @properties = names.empty? ? wanted.class.properties.values.select(&:desired_state?) : named(names)
    end

    def differs?
      @current.nil? || changed.any?
    end

    def descriptions
      return ["create #{@wanted.identity}", *@properties.map { |property| created(property) }] if @current.nil?

      ["update #{@wanted.identity}", *changed.map { |property| altered(property) }]
    end

    private

    def named(names)
      names.map { |name| @wanted.class.properties.fetch(name) }
    end

    def changed
      said = @properties.select { |property| @wanted.property_is_set?(property.name) || property.default? }
      said.reject { |property| value(@wanted, property) == value(@current, property) }
    end

    def value(resource, property)
      resource.public_send(property.name)
    end

    def created(property)
      "  set #{property.name} to #{shown(property, @wanted)}"
    end

    def altered(property)
      "  set #{property.name} to #{shown(property, @wanted)} (was #{shown(property, @current)})"
    end

    def shown(property, resource)
      @wanted.sensitive || property.sensitive? ? "(suppressed sensitive property)" : value(resource, property).inspect
    end
  end
end
