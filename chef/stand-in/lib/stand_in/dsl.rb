# frozen_string_literal: true

require "chef-utils"

module StandIn
  module DSL
    # Declaring resources: every kind is a method here, `file "/etc/motd" do … end`.
    module Declarations
      @classes = {}

      class << self
        def register(name, resource_class)
          @classes[name.to_sym] = resource_class
          define_method(name) { |title = "", &block| declare_resource(name, title, &block) }
        end

        def find(name)
          @classes[name.to_sym] || raise(UnknownName, "no kind of resource `#{name}'#{Nearest.hint(name, names)}")
        end

        def names
          @classes.keys
        end
      end

      # Adds a resource to the run and returns it. In unified mode it has been converged by then.
      def declare_resource(type, title = "", **_created_at, &block)
        resource = Declarations.find(type).new(title, run_context, declared_type: type.to_sym)
        resource.cookbook_name = cookbook_name
        resource.recipe_name = recipe_name
        resource.enclosing = self
        resource.instance_exec(&block) if block
        resource.after_created
        run_context.add(resource)
      end

      # One declared before, in this or an outer collection; a block declares it where there is none.
      def find_resource(type, title, &block)
        find_resource!(type, title)
      rescue UnknownName
        raise unless block

        declare_resource(type, title, &block)
      end

      def find_resource!(type, title)
        run_context.find("#{type}[#{title}]")
      end

      def resources(target)
        run_context.find(target)
      end
    end

    # Values by platform, beside what chef-utils gives (debian?, ubuntu?, platform_family?, …).
    module Platforms
      def platform?(*names)
        names.map(&:to_s).include?(node["platform"])
      end

      def platform_family?(*names)
        names.map(&:to_s).include?(node["platform_family"])
      end

      # value_for_platform("debian" => { "~> 12" => 1, "default" => 2 }, "default" => 3)
      def value_for_platform(choices)
        choice = Platforms.under(choices, node["platform"]) { |keys| Array(keys).map(&:to_s) }
        versions = choice || choices["default"]
        choice ? Platforms.for_version(versions, node["platform_version"], choices["default"]) : versions
      end

      def value_for_platform_family(choices)
        found = Platforms.under(choices, node["platform_family"]) { |keys| Array(keys).map(&:to_s) }
        found.nil? ? choices["default"] : found
      end

      def self.under(choices, name)
        pair = choices.find { |keys, _| yield(keys).include?(name) }
        pair&.last
      end

      # An exact version before a requirement, before the platform's own default, before the general one.
      def self.for_version(versions, version, otherwise)
        exact = under(versions, version) { |keys| Array(keys).map(&:to_s) }
        return exact unless exact.nil?

        fitting = versions.find do |requirement, _|
          requirement.to_s.match?(/\A[<>=~!]/) && Metadata.satisfies?(version, requirement)
        end
        fitting ? fitting.last : versions.fetch("default", otherwise)
      end
    end

    # Names that nothing defines, in recipes, resources and actions.
    module Refusals
      NOT_HERE = %i[
        data_bag data_bag_item search chef_vault_item secret include_profile include_input include_waiver
        reboot_pending? registry_key_exists? powershell_out with_run_context edit_resource build_resource
      ].freeze

      private

      def method_missing(called, *arguments, &block)
        where = calling_place
        return super unless where && Place.calling

        raise UnknownName.new("#{kind_of_name} `#{called}'#{explain(called)}", where: where)
      end

      def respond_to_missing?(*)
        false
      end

      def explain(called)
        return ": Chef has it, the stand-in does not" if NOT_HERE.include?(called)

        Nearest.hint(called, known_names)
      end

      def calling_place
        path, line = Place.calling
        path && "#{Place.short(path)}:#{line}"
      end
    end

    # All that recipes and the actions of custom resources may say.
    module Recipe
      include ChefUtils
      include Declarations
      include Platforms
      include Refusals
      include Shell

      def include_recipe(*names)
        names.each { |name| run_context.load_recipe(name.start_with?("::") ? "#{cookbook_name}#{name}" : name) }
      end

      def lazy(&block)
        Lazy.new(&block)
      end

      private

      def known_names
        Declarations.names + %i[include_recipe node platform? platform_family? value_for_platform shell_out lazy]
      end

      def kind_of_name
        "no resource or method"
      end
    end
  end
end
