# frozen_string_literal: true

module StandIn
  # A value that is worked out when it is needed: `content lazy { node.run_state["token"] }`.
  class Lazy
    def initialize(&block)
      @block = block
    end

    # A block that takes something gets the resource.
    def value(resource)
      @block.arity.positive? ? @block.call(resource) : resource.instance_exec(&@block)
    end
  end

  # One property of a kind of resource: what it takes and what it is when nobody says.
  class Property
    OPTIONS = %i[
      default coerce required equal_to regex callbacks name_property identity desired_state sensitive
      is kind_of validation_message description introduced default_description deprecated skip_docs
    ].freeze

    attr_reader :name

    def initialize(name, types, options)
      unknown = options.keys - OPTIONS
      raise UnknownName, "property `#{name}': unknown option #{unknown.join(', ')}" if unknown.any?

      @name = name
      @types = [types, options[:is], options[:kind_of]].flatten(2).compact
      @types << nil if Array(types).include?(nil)
      @options = options
    end

    def name_property?
      @options[:name_property] || false
    end

    def identity?
      @options[:identity] || name_property?
    end

    # Of files and folders: octal digits, as a number or as text. Chef knows no letters either.
    MODE = {
      "is no mode, write four octal digits" => lambda do |mode|
        mode.is_a?(Integer) ? mode.between?(0, 0o7777) : mode.match?(/\A[0-7]{1,5}\z/) && mode.to_i(8) <= 0o7777
      end
    }.freeze

    # Does it describe what is on the host, rather than how to work on it?
    def desired_state?
      @options.fetch(:desired_state, true)
    end

    def sensitive?
      @options[:sensitive] || false
    end

    def default?
      @options.key?(:default) || name_property?
    end

    def required?(action)
      needed = @options[:required]
      needed.is_a?(Array) ? needed.include?(action) : needed || false
    end

    # What the resource's author, or the user's value, makes of it: coerced and checked.
    def accept(resource, value)
      value = coerced(resource, value)
      check(resource, value)
      value
    end

    # A plain default may be shared by many resources, so it can't be changed.
    def default_for(resource)
      return accept(resource, own_name(resource)) if name_property? && !@options.key?(:default)

      value = @options[:default]
      return coerced(resource, value.value(resource)) if value.is_a?(Lazy)

      value.nil? ? nil : coerced(resource, value).freeze
    end

    def takes_nil?
      @types.include?(nil)
    end

    private

    # package %w(a b) has the name "a, b", and its package_name is the array.
    def own_name(resource)
      wrong_type(resource.given_name) ? resource.title : resource.given_name
    end

    def coerced(resource, value)
      @options[:coerce] ? resource.instance_exec(value, &@options[:coerce]) : value
    end

    def check(resource, value)
      return if value.nil? && takes_nil?

      problem = wrong_type(value) || not_allowed(value) || not_matching(value) || refused(value)
      problem &&= @options[:validation_message] || "property `#{name}' #{problem}"
      raise PropertyError.new("#{resource}: #{problem}", where: resource.calling_place) if problem
    end

    def wrong_type(value)
      return if @types.empty? || @types.any? { |type| type === value } # rubocop:disable Style/CaseEquality

      "takes #{@types.map { |type| type.nil? ? 'nil' : type }.join(' or ')}, not #{value.inspect} (#{value.class})"
    end

    def not_allowed(value)
      allowed = Array(@options[:equal_to])
      return if allowed.empty? || allowed.include?(value)

      "takes one of #{allowed.map(&:inspect).join(', ')}, not #{value.inspect}"
    end

    def not_matching(value)
      patterns = Array(@options[:regex])
      return if patterns.empty? || patterns.any? { |pattern| pattern.match?(value.to_s) }

      "must match #{patterns.map(&:inspect).join(' or ')}, not be #{value.inspect}"
    end

    def refused(value)
      message, = (@options[:callbacks] || {}).find { |_, check| !check.call(value) }
      message && "#{message} (it is #{value.inspect})"
    end
  end
end
