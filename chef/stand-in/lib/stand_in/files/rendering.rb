# frozen_string_literal: true

require "chef-utils"
require "erubis"

module StandIn
  module Files
    # What a template runs in: @variables, node, partials, helpers.
    class Rendering
      include ChefUtils
      include DSL::Platforms

      # `find` gives the path of a template or partial: (source, cookbook or nil, local or nil).
      # `variables` become @variables, @node among them.
      def initialize(variables, extensions, find)
        @stand_in_find = find
        @stand_in_extensions = extensions
        variables.each { |name, value| instance_variable_set("@#{name}", value) }
        extensions.each { |extension| extend(extension) }
      end

      # A partial that is given variables of its own has no node among them, unless it is given that too.
      def node
        @node || raise(StandIn::Error, "there is no `node' among the variables that this template was given")
      end

      def stand_in_render(path)
        code = Erubis::Eruby.new(::File.read(path, encoding: "UTF-8"), filename: path)
        code.evaluate(self)
      end

      # Another template's text, with the variables of this one or, in their place, those given.
      def render(partial, variables: nil, cookbook: nil, local: false, source: nil)
        path = @stand_in_find.call(source || partial, cookbook, local)
        Rendering.new(variables || stand_in_variables, @stand_in_extensions, @stand_in_find).stand_in_render(path)
      end

      private

      def stand_in_variables
        names = instance_variables.reject { |name| name.start_with?("@stand_in_") }
        names.to_h { |name| [name.to_s.delete_prefix("@"), instance_variable_get(name)] }
      end
    end
  end
end
