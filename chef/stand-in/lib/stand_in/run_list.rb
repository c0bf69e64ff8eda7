# frozen_string_literal: true

require "json"
require_relative "attributes"

module StandIn
  # A role file: what it puts on the run list and which attributes it brings.
  class Role
    KEYS = %w[name description chef_type json_class run_list default_attributes override_attributes
              env_run_lists].freeze

    attr_reader :name, :run_list, :default_attributes, :override_attributes

    # Reads roles/NAME.json from the first folder that has it.
    def self.read(folders, name)
      path = folders.map { |folder| File.join(folder, "#{name}.json") }.find { |file| File.file?(file) }
      raise CookbookError, "no role `#{name}'#{hint(folders, name)}" unless path

      new(name, JSON.parse(File.read(path)), path)
    rescue JSON::ParserError => e
      raise CookbookError.new("not JSON: #{e.message.lines.first.strip}", where: Place.short(path))
    end

    def self.hint(folders, name)
      files = folders.flat_map { |folder| Dir.glob("#{folder}/*.json") }
      Nearest.hint(name, files.map { |file| File.basename(file, ".json") })
    end
    private_class_method :hint

    def initialize(name, content, path)
      @name = name
      @run_list = content.fetch("run_list", [])
      @default_attributes = content.fetch("default_attributes", {})
      @override_attributes = content.fetch("override_attributes", {})
      check(content, Place.short(path))
    end

    private

    def check(content, where)
      unknown = content.keys - KEYS
      raise CookbookError.new("unknown keys in a role: #{unknown.join(', ')}", where: where) if unknown.any?
      raise CookbookError.new("there are no environments here", where: where) if content.fetch("env_run_lists", {}).any?
      return if content.fetch("name", name) == name

      raise CookbookError.new("the role calls itself `#{content['name']}'", where: where)
    end
  end

  # A run list with every role replaced by what is in it.
  #
  # A role inside a role comes first, so the attributes of the outer one win; a recipe or role named
  # twice counts once, at its first place.
  class Expansion
    ENTRY = /\A(?:(?<kind>role|recipe)\[(?<name>[^\]@]+)\]|(?<bare>[\w-]+(?:::[\w-]+)?))\z/

    attr_reader :recipes, :roles, :default_attributes, :override_attributes

    # `roles` gives the Role of a name.
    def initialize(run_list, &find_role)
      @find_role = find_role
      @recipes = []
      @roles = []
      @default_attributes = {}
      @override_attributes = {}
      expand(run_list)
    end

    private

    def expand(entries)
      entries.each do |entry|
        match = ENTRY.match(entry) || raise(CookbookError, "not an entry of a run list: `#{entry}'")
        match[:kind] == "role" ? apply(match[:name]) : @recipes |= [match[:name] || match[:bare]]
      end
    end

    def apply(name)
      return if @roles.include?(name)

      @roles << name
      role = @find_role.call(name)
      expand(role.run_list)
      @default_attributes = Attributes.deep_merge(@default_attributes, role.default_attributes)
      @override_attributes = Attributes.deep_merge(@override_attributes, role.override_attributes)
    end
  end
end
