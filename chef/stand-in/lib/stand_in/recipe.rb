# frozen_string_literal: true

module StandIn
  # What a recipe file runs in.
  class Recipe
    include DSL::Recipe

    attr_reader :cookbook_name, :recipe_name, :run_context

    def initialize(cookbook_name, recipe_name, run_context)
      @cookbook_name = cookbook_name
      @recipe_name = recipe_name
      @run_context = run_context
    end

    def node
      run_context.node
    end

    def load(path)
      Source.run_in(self, path)
    end

    def to_s
      "recipe[#{cookbook_name}::#{recipe_name}]"
    end
    alias inspect to_s
  end

  # What an attributes file runs in: `default["ssh"]["port"] = 22`.
  class AttributesFile
    include ChefUtils
    include DSL::Platforms
    include DSL::Refusals

    attr_reader :node

    %i[default normal override force_default force_override].each do |level|
      define_method(level) { node.public_send(level) }
    end
    alias default! force_default
    alias override! force_override

    def initialize(node, &include_attributes)
      @node = node
      @include_attributes = include_attributes
    end

    def load(path)
      Source.run_in(self, path)
    end

    # "cookbook" or "cookbook::file", read once.
    def include_attribute(*names)
      names.each(&@include_attributes)
    end

    private

    def known_names
      %i[default normal override force_default force_override node include_attribute platform? platform_family?]
    end

    def kind_of_name
      "an attributes file has no"
    end
  end
end
