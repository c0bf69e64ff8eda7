# frozen_string_literal: true

require "forwardable"
require_relative "attributes"

module StandIn
  # The host as recipes see it: its name, attributes of all levels, and what the run keeps for itself.
  class Node
    extend Forwardable

    attr_reader :name, :run_state, :attributes, :run_list
    attr_accessor :run_context

    def initialize(name)
      @name = name
      @attributes = Attributes.new
      @run_state = {}
      @run_list = []
    end

    def_delegators :attributes, :[], :keys, :key?
    alias attribute? key?

    # What the facts, the node's JSON and the expanded run list say, before any cookbook.
    def prepare(facts:, normal:, expansion:)
      @run_list = normal.fetch("run_list", [])
      attributes.replace(:automatic, facts)
      attributes.replace(:normal, normal.except("run_list"))
      attributes.replace(:role_default, expansion.default_attributes)
      attributes.replace(:role_override, expansion.override_attributes)
      automatic["recipes"] = expansion.recipes.flat_map { |recipe| Node.names(recipe) }
      automatic["roles"] = expansion.roles
      self
    end

    # Both names of a default recipe.
    def self.names(recipe)
      cookbook, part = recipe.split("::")
      [nil, "default"].include?(part) ? [cookbook, "#{cookbook}::default"] : [recipe]
    end

    %i[default normal override automatic force_default force_override].each do |level|
      define_method(level) { attributes.level(level) }
    end
    alias default! force_default
    alias override! force_override
    alias automatic_attrs automatic

    def []=(*)
      raise ReadOnlyAttribute
    end

    def read(*path)
      view.read(*path)
    end
    alias dig read

    def read!(*path)
      view.read!(*path)
    end

    def exist?(*path)
      view.exist?(*path)
    end

    def to_hash
      view.to_hash
    end
    alias to_h to_hash

    def recipe?(recipe)
      wanted = recipe.include?("::") ? recipe : "#{recipe}::default"
      run_context.loaded_recipes.include?(wanted) || self["recipes"].include?(recipe)
    end

    def role?(role)
      self["roles"].include?(role)
    end

    def to_s
      "node[#{name}]"
    end

    private

    def view
      ReadOnlyMash.of(keys.to_h { |key| [key, self[key]] })
    end
  end
end
