# frozen_string_literal: true

module StandIn
  module Resources
    # Ruby of the recipe's author, run when its turn comes.
    class RubyBlock < Resource
      provides :ruby_block
      property :block_name, String, name_property: true

      def block(&block)
        block ? @block = block : @block
      end

      action :run do
        converge_by("execute the ruby block #{new_resource.name}") { new_resource.block.call }
      end

      action(:create) { action_run }
    end

    # A line in the log; it changes nothing, so it counts as nothing.
    class Log < Resource
      provides :log
      property :message, String, name_property: true
      property :level, Symbol, default: :info, equal_to: %i[debug info warn error fatal]

      action :write do
        Chef::Log.public_send(new_resource.level, new_resource.message)
      end
    end
  end
end
