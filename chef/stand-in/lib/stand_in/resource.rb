# frozen_string_literal: true

require "chef-utils"
require_relative "resource_class"
require_relative "shell"
require_relative "notification"
require_relative "guard"
require_relative "dsl"

module StandIn
  # A thing on the host and what it shall be: the base of all built-in and custom resources.
  class Resource
    extend ResourceClass
    include Shell
    include ChefUtils
    include DSL::Platforms
    include DSL::Refusals

    attr_reader :title, :given_name, :declared_type, :guards, :source_path, :source_line_number, :run_context
    attr_accessor :cookbook_name, :recipe_name, :diff
    # The recipe or action that declares it.
    attr_writer :enclosing

    property :sensitive, [true, false], default: false, desired_state: false
    property :retries, Integer, default: 0, desired_state: false
    property :retry_delay, Integer, default: 2, desired_state: false
    property :ignore_failure, [true, false, :quiet, "quiet"], default: false, desired_state: false
    property :umask, String, desired_state: false
    property :compile_time, [true, false], default: false, desired_state: false
    action(:nothing) { nil }
    @first_action = nil

    def initialize(name, run_context = nil, declared_type: nil)
      raise PropertyError.new("a name is no place for lazy", where: calling_place) if name.is_a?(Lazy)

      @title = Array(name).join(", ")
      @given_name = name
      @run_context = run_context
      @declared_type = declared_type || self.class.resource_name
      @values = {}
      @guards = []
      @notifications = []
      @source_path, @source_line_number = Place.calling
      @updated = @updated_by_last_action = false
    end

    # The words after the kind, package %w(a b) → "a, b". A resource may have a property of that name.
    def name
      title
    end

    def node
      run_context&.node
    end

    def lazy(&block)
      Lazy.new(&block)
    end

    def action(*names)
      return @action || self.class.default_action if names.empty?

      @action = names.flatten.map { |name| checked_action(name.to_sym) }
    end
    alias action= action

    def only_if(command = nil, **options, &block)
      @guards << Guard.new(:only_if, self, command, options, block)
    end

    def not_if(command = nil, **options, &block)
      @guards << Guard.new(:not_if, self, command, options, block)
    end

    # Options that string guards take over from the resource.
    def guard_defaults
      {}
    end

    def notifies(action, target, timing = :delayed)
      @notifications << Notification.new(self, action.to_sym, target, timing, calling_place)
    end

    # The other way round: this resource acts when `sources` change.
    def subscribes(action, sources, timing = :delayed)
      [*sources].each { |source| run_context.subscribe(self, action.to_sym, source, timing, calling_place) }
    end

    def notifications(timing = nil)
      timing ? @notifications.select { |one| one.timing == timing } : @notifications
    end

    def add_notification(notification)
      @notifications << notification
    end

    def read_property(name)
      value = @values.fetch(name) { return self.class.properties.fetch(name).default_for(self) }
      value.is_a?(Lazy) ? self.class.properties.fetch(name).accept(self, value.value(self)) : value
    end

    # As in Chef, nil means "as if nobody had said anything", unless the property takes nil.
    def write_property(name, value)
      property = self.class.properties.fetch(name)
      return @values.delete(name) if value.nil? && !property.takes_nil?

      @values[name] = value.is_a?(Lazy) ? value : property.accept(self, value)
    end

    def property_is_set?(name)
      @values.key?(name.to_sym)
    end

    def reset_property(name)
      @values.delete(name.to_sym)
    end

    # In load_current_value: there is no such thing on the host yet.
    def current_value_does_not_exist!
      throw :does_not_exist, true
    end

    # The value that tells this resource from others of its kind.
    def identity
      named = self.class.properties.values.select(&:identity?)
      named.empty? ? title : named.map { |property| public_send(property.name) }.join(", ")
    end

    def updated?
      @updated
    end
    alias updated updated?

    def updated_by_last_action(value)
      @updated ||= value
      @updated_by_last_action = value
    end

    def updated_by_last_action?
      @updated_by_last_action
    end

    # "cookbooks/base/recipes/sshd.rb:12", or nil for what the client itself declares.
    def where
      source_path && "#{Place.short(source_path)}:#{source_line_number}"
    end

    # As Chef's resources say it.
    def source_line
      source_path && "#{source_path}:#{source_line_number}"
    end

    def defined_at
      recipe_name ? "#{cookbook_name}::#{recipe_name} line #{source_line_number}" : where.to_s
    end

    # Where in the cookbooks we are now; while it is being declared, that is a line of its block.
    def calling_place
      path, line = Place.calling
      path ? "#{Place.short(path)}:#{line}" : where
    end

    # For what authors want to happen right after a resource's block was read.
    def after_created; end

    def resource_name
      self.class.resource_name || declared_type
    end

    # As the cookbooks name it to notify it: package[vim], what reports call apt_package[vim].
    def declared_key
      "#{declared_type}[#{title}]"
    end

    def to_s
      "#{resource_name}[#{title}]"
    end
    alias inspect to_s

    private

    # In an action, what the action may say its resources may say too: new_resource, its methods.
    def method_missing(called, *arguments, &block)
      return super unless @enclosing.is_a?(ActionContext) && @enclosing.respond_to?(called, true)

      @enclosing.send(called, *arguments, &block)
    end

    def respond_to_missing?(called, include_all = false)
      @enclosing.is_a?(ActionContext) ? @enclosing.respond_to?(called, include_all) : super
    end

    def checked_action(name)
      return name if self.class.allowed_actions.include?(name)

      hint = Nearest.hint(name, self.class.allowed_actions)
      raise UnknownName.new("#{self} has no action :#{name}#{hint}", where: calling_place)
    end

    def known_names
      self.class.properties.keys + %i[action only_if not_if notifies subscribes lazy node]
    end

    def kind_of_name
      "#{declared_type} has no property"
    end
  end
end
