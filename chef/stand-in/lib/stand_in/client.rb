# frozen_string_literal: true

module StandIn
  # One run: facts, attributes and run list, then the recipes, then the host, then the handlers.
  class Client
    attr_reader :node, :cookbooks, :events, :configuration

    def initialize(settings, json, events)
      @configuration = settings
      @json = json
      @events = events
      @status = nil
    end

    # True where all went well. Never raises what a cookbook, or the host, is to blame for.
    def run
      start
      compile
      converge
      finish(nil)
    rescue StandardError, ScriptError => e
      finish(MissingAttribute.explained(e, node))
    end

    def loaded_recipes
      @compiler.loaded_recipes
    end

    def load_recipe(name)
      @compiler.load_recipe(name)
    end

    private

    def start
      began = Time.now
      facts = Facts.gather
      @node = Node.new(configuration[:node_name] || facts["fqdn"] || facts["hostname"])
      @status = RunStatus.new(node, events)
      @status.start_time = began
      events.run_start(NAME, @status)
      @cookbooks = Cookbooks.new(Array(configuration[:cookbook_path]))
      @expansion = Expansion.new(@json.fetch("run_list", [])) do |name|
        Role.read(Array(configuration[:role_path]), name)
      end
      events.run_list_expanded(@expansion)
      node.prepare(facts: facts, normal: @json, expansion: @expansion)
      events.ohai_completed(node)
    end

    def compile
      @context = RunContext.new(self)
      node.run_context = @context
      @status.run_context = @context
      @compiler = Compiler.new(node, cookbooks, -> { @context })
      events.cookbook_compilation_start(@context)
      @compiler.compile(@expansion.recipes)
      events.cookbook_compilation_complete(@context)
    end

    def converge
      events.converge_start(@context)
      @context.runner.converge
      events.converge_complete
    end

    def finish(error)
      @status.stop_clock
      @status.exception = error
      run_handlers(error ? configuration[:exception_handlers] : configuration[:report_handlers])
      error ? events.run_failed(error, @status) : events.run_completed(node, @status)
      explain(error) if error
      error.nil?
    end

    def run_handlers(handlers)
      Array(handlers).each { |handler| handler.run_report_safely(@status) }
    end

    # The last lines of a log are what an operator reads.
    def explain(error)
      Chef::Log.fatal([Place.of_error(error), "#{error.class}: #{error.message}"].compact.join(": "))
      Chef::Log.debug(Array(error.backtrace).join("\n"))
    end
  end
end
