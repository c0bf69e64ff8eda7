# frozen_string_literal: true

module StandIn
  # Reads the cookbooks of a run in Chef's order: all libraries, all attributes, all custom resources,
  # then the recipes of the run list, which declare what shall be converged.
  class Compiler
    attr_reader :loaded_recipes

    def initialize(node, cookbooks, run_context)
      @node = node
      @cookbooks = cookbooks
      @context = run_context
      @loaded_recipes = []
      @loaded_attributes = []
    end

    def compile(recipes)
      order = @cookbooks.ordered(recipes)
      @loaded = order.map(&:name)
      order.each { |cookbook| check_platform(cookbook) }
      order.each { |cookbook| cookbook.files("libraries").each { |path| load_library(path) } }
      order.each { |cookbook| load_all_attributes(cookbook) }
      order.each { |cookbook| cookbook.files("resources").each { |path| CustomResource.load(cookbook.name, path) } }
      recipes.each { |recipe| load_recipe(recipe) }
    end

    # Runs a recipe unless it has been run before.
    def load_recipe(name)
      cookbook, recipe = split(name)
      full = "#{cookbook}::#{recipe}"
      return if @loaded_recipes.include?(full)

      refuse_undeclared(cookbook)
      path = @cookbooks[cookbook].recipe(recipe)
      @loaded_recipes << full
      Recipe.new(cookbook, recipe, @context.call).load(path)
    end

    private

    def split(name)
      cookbook, part = name.split("::", 2)
      [cookbook, part || "default"]
    end

    # Chef has only the cookbooks of the run list and what they depend on.
    def refuse_undeclared(name)
      return if @loaded.include?(@cookbooks[name].name)

      raise CookbookError, "cookbook `#{name}' is of no use here before a metadata.rb says: depends '#{name}'"
    end

    def check_platform(cookbook)
      platform, version = @node["platform"], @node["platform_version"].to_s
      return if cookbook.metadata.supports?(platform, version)

      Chef::Log.warn("cookbook #{cookbook.name} does not say that it supports #{platform} #{version}")
    end

    # In a namespace of nobody, as Kernel.load does; twice in a process only where tests do so.
    def load_library(path)
      Kernel.load(path)
    end

    def load_all_attributes(cookbook)
      cookbook.files("attributes").each { |path| load_attributes(cookbook.name, path) }
    end

    def load_attributes(_cookbook_name, path)
      return if @loaded_attributes.include?(path)

      @loaded_attributes << path
      AttributesFile.new(@node) { |name| include_attributes(name) }.load(path)
    end

    def include_attributes(name)
      cookbook, file = split(name)
      refuse_undeclared(cookbook)
      path = File.join(@cookbooks[cookbook].folder, "attributes", "#{file}.rb")
      raise CookbookError, "cookbook `#{cookbook}' has no attributes/#{file}.rb" unless File.file?(path)

      load_attributes(cookbook, path)
    end
  end

  # Makes a class of a file in resources/.
  module CustomResource
    # Its name is COOKBOOK_FILE (default.rb: COOKBOOK), and what it says itself with `provides`.
    def self.load(cookbook_name, path)
      file = File.basename(path, ".rb")
      name = file == "default" ? cookbook_name : "#{cookbook_name}_#{file}"
      resource_class = Class.new(Resource)
      Source.define_in(resource_class, path)
      resource_class.provides(name.tr("-", "_").to_sym) unless resource_class.provided.any?
      resource_class
    end
  end
end
