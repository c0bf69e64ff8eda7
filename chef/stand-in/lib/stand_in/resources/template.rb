# frozen_string_literal: true

require_relative "file"
require_relative "../files/rendering"

module StandIn
  module Resources
    # A file made of a cookbook's ERB template.
    class Template < ManagedFile
      provides :template
      property :source, [String, Array], default: Lazy.new { "#{::File.basename(path)}.erb" }, desired_state: false
      property :cookbook, String, desired_state: false
      property :local, [true, false], default: false, desired_state: false
      property :variables, Hash, default: {}, desired_state: false

      # One method that the template may call.
      def helper(name, &block)
        extensions << Module.new { define_method(name, &block) }
      end

      # A module of methods, or a block that defines some.
      def helpers(extension = nil, &block)
        extensions << (extension || Module.new(&block))
      end

      def extensions
        @extensions ||= []
      end

      action_class do
        def content
          source = Array(new_resource.source)
          path = source.filter_map { |one| found(one) }.first || find(source.first, nil, new_resource.local)
          # What templates are told wins over variables of the same name.
          variables = new_resource.variables.transform_keys(&:to_sym).merge(told(path))
          Files::Rendering.new(variables, new_resource.extensions, method(:find)).stand_in_render(path)
        end

        def told(path)
          resource = new_resource
          { node: node, cookbook_name: resource.cookbook_name, recipe_name: resource.recipe_name,
            recipe_line_string: resource.source_line, recipe_path: resource.source_path,
            recipe_line: resource.source_line_number, template_name: resource.source, template_path: path }
        end

        def found(source)
          return source if new_resource.local && ::File.file?(source)

          book.specific("templates", source, node) if !new_resource.local && book.specific?("templates", source, node)
        end

        def find(source, cookbook, local)
          local ? source : book(cookbook).specific("templates", source, node)
        end

        def book(name = nil)
          run_context.cookbooks[name || new_resource.cookbook || cookbook_name]
        end
      end
    end
  end
end
