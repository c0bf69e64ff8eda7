# frozen_string_literal: true

module StandIn
  # The run as lines of text, in the manner of Chef's "doc" format.
  class DocFormatter < Events::Base
    def initialize(out)
      super()
      @out = out
      @depth = 0
      @recipe = nil
      @updated = @actions = 0
    end

    def run_start(client, _status)
      line("#{client}: what Chef would do, as far as it is known to do it")
    end

    def run_list_expanded(expansion)
      line("run list: #{expansion.recipes.join(', ')}")
    end

    def converge_start(context)
      line("converging #{context.resource_collection.size} resources")
    end

    def resource_action_start(resource, action, timing = nil, sender = nil)
      head(resource) if @depth.zero?
      @depth += 1
      @actions += 1
      told = sender ? " (#{timing}, told by #{sender})" : ""
      line("* #{resource} action #{action}#{told}")
    end

    def resource_skipped(_resource, _action, guard)
      detail(guard == :nothing ? "skipped: action :nothing" : "skipped: #{guard}")
    end

    def resource_up_to_date(_resource, _action)
      detail("up to date")
    end

    def resource_update_applied(_resource, _action, descriptions)
      Array(descriptions).flatten.each do |text|
        first, *rest = text.lines(chomp: true)
        detail("- #{'would ' if Chef::Config[:why_run]}#{first}")
        rest.each { |more| detail("  #{more}") }
      end
    end

    def resource_updated(_resource, _action)
      @updated += 1
    end

    def resource_failed_retriable(_resource, _action, left, error)
      detail("failed, #{left} more #{left == 1 ? 'try' : 'tries'}: #{error.message}")
    end

    def resource_failed(resource, _action, error)
      detail("FAILED at #{resource.where}: #{error.message}")
    end

    def resource_completed(_resource)
      @depth -= 1
    end

    def run_completed(_node, status)
      line("#{summary(status)}, #{Chef::Config[:why_run] ? 'nothing was touched' : 'all is as it shall be'}")
    end

    def run_failed(_error, status)
      line("#{summary(status)}, then the run FAILED")
    end

    private

    def head(resource)
      recipe = resource.recipe_name && "#{resource.cookbook_name}::#{resource.recipe_name}"
      return if recipe == @recipe

      @recipe = recipe
      line("recipe #{recipe}")
    end

    def summary(status)
      changed = Chef::Config[:why_run] ? "would change" : "changed"
      format("%<updated>d of %<actions>d actions %<changed>s something (%<seconds>.1f s)",
             updated: @updated, actions: @actions, changed: changed, seconds: status.elapsed_time)
    end

    def detail(text)
      line("  #{text}")
    end

    def line(text)
      @out.puts("#{'  ' * @depth}#{text}")
      @out.flush
    end
  end
end
