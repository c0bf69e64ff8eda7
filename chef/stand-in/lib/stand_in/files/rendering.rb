# frozen_string_literal: true

require "chef-utils"
require "erubis"

module StandIn
  module Files
    # What a template runs in: @variables, node, partials, helpers.
    class Rendering
      include ChefUtils
      include DSL::Platforms

      attr_reader :node

      # `find` gives the path of a template or partial: (source, cookbook or nil, local or nil).
      # `variables` win over what Chef itself tells templates: @cookbook_name and the like.
      def initialize(node, variables, extensions, find)
        @node = node
        @stand_in_find = find
        @stand_in_extensions = extensions
        variables.each { |name, value| instance_variable_set("@#{name}", value) }
        extensions.each { |extension| extend(extension) }
      end

      def stand_in_render(path)
        code = Erubis::Eruby.new(::File.read(path, encoding: "UTF-8"), filename: path)
        code.evaluate(self)
      end

      # Another template's text, with variables of its own.
      def render(partial, variables: {}, cookbook: nil, local: false, source: nil)
        path = @stand_in_find.call(source || partial, cookbook, local)
        Rendering.new(node, variables, @stand_in_extensions, @stand_in_find).stand_in_render(path)
      end
    end
  end
end
