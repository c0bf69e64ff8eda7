# frozen_string_literal: true

module StandIn
  # What happens in a run, told to whoever subscribed; named as in Chef, so that one event handler
  # serves both.
  module Events
    NAMES = %i[
      run_start run_completed run_failed ohai_completed run_list_expanded
      cookbook_compilation_start recipe_file_loaded cookbook_compilation_complete
      converge_start converge_complete converge_failed
      resource_action_start resource_skipped resource_update_applied resource_failed_retriable
      resource_failed resource_updated resource_up_to_date resource_completed
      handlers_start handler_executed handlers_completed
    ].freeze

    # Hears everything and does nothing; subscribers override what they want to know.
    class Base
      NAMES.each { |name| define_method(name) { |*| nil } }
    end

    # Tells each subscriber, in the order of subscription.
    class Dispatcher
      def initialize(*subscribers)
        @subscribers = subscribers
      end

      def register(subscriber)
        @subscribers << subscriber
      end

      NAMES.each do |name|
        define_method(name) do |*details|
          @subscribers.each { |subscriber| subscriber.public_send(name, *details) }
        end
      end
    end
  end
end
