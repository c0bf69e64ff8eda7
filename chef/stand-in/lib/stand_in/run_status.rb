# frozen_string_literal: true

module StandIn
  # The state of a run as handlers see it, with the names it has in Chef.
  class RunStatus
    attr_reader :node, :events, :end_time
    attr_accessor :run_context, :exception, :start_time

    def initialize(node, events)
      @node = node
      @events = events
    end

    def stop_clock
      @end_time = Time.now
    end

    def elapsed_time
      (end_time || Time.now) - start_time
    end

    def all_resources
      run_context ? run_context.resource_collection : []
    end

    def updated_resources
      all_resources.select(&:updated?)
    end

    def backtrace
      exception&.backtrace
    end

    def success?
      exception.nil?
    end

    def failed?
      !success?
    end

    def formatted_exception
      exception && "#{exception.class}: #{exception.message}"
    end
  end

  # An ordinary report or exception handler: subclasses define `report` (Chef::Handler).
  class Handler
    extend Forwardable

    attr_reader :run_status

    def_delegators :@run_status, :node, :start_time, :end_time, :elapsed_time, :run_context, :exception,
                   :backtrace, :success?, :failed?, :all_resources, :updated_resources

    def report; end

    # A handler that fails is logged and spoils nothing else.
    def run_report_safely(run_status)
      @run_status = run_status
      report
    rescue StandardError => e
      Chef::Log.error("handler #{self.class} failed: #{e.class}: #{e.message}")
      Chef::Log.error(e.backtrace.first.to_s)
    end
  end
end
