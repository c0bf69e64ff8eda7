# frozen_string_literal: true

require_relative "property"

module StandIn
  # What the author of a kind of resource says in its class: properties, actions, names.
  module ResourceClass
    IGNORED = %i[description introduced examples chef_version_for_provides].freeze
    IGNORED.each { |name| define_method(name) { |*| nil } }

    def properties
      inherited = superclass.respond_to?(:properties) ? superclass.properties : {}
      inherited.merge(@properties || {})
    end

    def property(name, types = [], **options)
      (@properties ||= {})[name] = Property.new(name, types, options)
      define_method(name) { |*value| value.empty? ? read_property(name) : write_property(name, value.first) }
      define_method(:"#{name}=") { |value| write_property(name, value) }
    end

    def lazy(&block)
      Lazy.new(&block)
    end

    def actions
      inherited = superclass.respond_to?(:actions) ? superclass.actions : []
      inherited | (@actions || [])
    end

    # `return` in its body leaves the action; other actions call it as action_NAME.
    def action(name, **_description, &body)
      (@actions ||= []) << name
      @first_action ||= name
      action_class.define_method(:"action_#{name}", &body)
    end

    def allowed_actions(*names)
      @extra_actions = names.flatten if names.any?
      [:nothing, *actions, *@extra_actions].uniq
    end

    def default_action(*names)
      @default_action = names.flatten if names.any?
      return @default_action || [@first_action] if @default_action || @first_action

      superclass.respond_to?(:default_action) ? superclass.default_action : [:nothing]
    end

    # The class whose instances run the actions; a block adds methods to it.
    def action_class(&block)
      @action_class ||= Class.new(superclass.respond_to?(:action_class) ? superclass.action_class : ActionContext)
      @action_class.class_eval(&block) if block
      @action_class
    end

    # How to find out what is on the host; the block may take the wanted resource.
    def load_current_value(&block)
      define_method(:load_current_value!, &block)
    end

    # Run sub-resources where they are declared, rather than at the end of the action.
    def unified_mode(value = nil)
      @unified_mode = value unless value.nil?
      @unified_mode.nil? && superclass.respond_to?(:unified_mode) ? superclass.unified_mode : @unified_mode
    end

    def resource_name(name = nil)
      @resource_name = name if name
      @resource_name || (superclass.respond_to?(:resource_name) ? superclass.resource_name : nil)
    end

    # The word by which recipes declare it.
    def provides(name, **_options)
      @resource_name ||= name
      (@provided ||= []) << name
      DSL::Declarations.register(name, self)
    end

    def provided
      @provided || []
    end

    # Other code's properties and actions: `use "partial/name"` is not for this stand-in.
    def use(partial)
      raise UnknownName.new("partial `#{partial}': the stand-in has no partials", where: Place.calling&.join(":"))
    end

    private

    def method_missing(called, *arguments, **options, &block)
      known = %i[property action action_class load_current_value default_action allowed_actions provides unified_mode
                 resource_name]
      file, line = Place.calling
      return super unless file

      raise UnknownName.new("a resource's class has no `#{called}'#{Nearest.hint(called, known)}",
                            where: "#{Place.short(file)}:#{line}")
    end

    def respond_to_missing?(*)
      false
    end
  end
end
