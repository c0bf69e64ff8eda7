# frozen_string_literal: true

require "digest"
require "fileutils"
require "json"
require "time"

module Orchestrate
  # Notes what resources change while they are converged, those inside custom resources too.
  class Changes < Chef::EventDispatch::Base
    LONGEST = 20_000

    attr_reader :updated, :failures, :seen

    def initialize
      super
      @updated = []
      @failures = []
      @seen = 0
      @open = []
    end

    def converge_start(_run_context)
      @why_run = looking?
    end

    def resource_action_start(*)
      @open.push(texts: [], inside: @updated.size, failures: @failures.size)
    end

    # A real run looks at what others must go before; what it says then is not done yet.
    def resource_update_applied(_resource, _action, update)
      @open.last[:texts].concat([update].flatten.compact.map(&:to_s)) if looking? == @why_run
    end

    def resource_updated(resource, action)
      return unless looking? == @why_run

      current = @open.last
      # What changed only by what is inside of it has been told.
      return if current[:texts].empty? && @updated.size > current[:inside]

      @updated << { resource: resource.to_s, action: action.to_s, **place(resource),
                    changes: shortened(current[:texts]) }
    end

    def resource_failed(resource, _action, error)
      return @failures.slice!(@open.last[:failures]..) if resource.ignore_failure

      where = (error.where if error.respond_to?(:where)) || place(resource)[:where]
      @failures << { resource: resource.to_s, where: where, error: error.message }
    end

    def resource_completed(*)
      @seen += 1
      @open.pop
    end

    # Where a resource was written: "cookbooks/base/recipes/sshd.rb:12", and its parts for a recipe.
    def place(resource)
      where = Changes.inside_cookbooks(resource.source_line)
      recipe = where&.include?("/recipes/") ? File.basename(where[/\A[^:]+/], ".rb") : nil
      { cookbook: where && where.split("/")[1], recipe: recipe, line: where && where[/:(\d+)/, 1].to_i, where: where }
    end

    # "cookbooks/…:LINE" of a line of a backtrace or the like, or nil.
    def self.inside_cookbooks(text)
      text && text[%r{cookbooks/[^/:]+/(?:attributes|libraries|metadata|recipes|resources|templates)[^:]*:\d+}]
    end

    private

    def looking?
      Chef::Config[:why_run] ? true : false
    end

    def shortened(texts)
      whole = texts.join("\n")
      whole.size > LONGEST ? "#{whole[0, LONGEST]}\n(#{whole.size - LONGEST} more letters left out)" : whole
    end
  end

  # Writes what came of a run, for who ordered it. An ordinary handler of Chef.
  class Report < Chef::Handler
    # `state` is the folder to write to, `archive` the configuration's digest. What node.json is now is
    # what this run converges to.
    def initialize(changes, state, archive)
      super()
      @changes = changes
      @state = state
      @archive = archive
      @node_digest = Digest::SHA256.file(File.join(state, "node.json")).hexdigest
    end

    def report
      write("report.json.new", result)
      write("converged.json.new", converged) if success? && !why_run?
    end

    private

    def result
      {
        client: client, why_run: why_run?, resources: @changes.seen, updated: @changes.updated,
        seconds: elapsed_time.to_f.round(2), failed: success? ? nil : failure
      }
    end

    def converged
      role = node.read("orchestrate", "role")
      { archive: @archive, node: @node_digest, role: role, client: client, at: Time.now.utc.iso8601 }
    end

    def client
      return StandIn::NAME if defined?(StandIn)

      "#{ChefUtils::Dist::Infra::PRODUCT} #{Chef::VERSION}"
    end

    def why_run?
      Chef::Config[:why_run] ? true : false
    end

    # The resource that failed first; without one, what was wrong with the cookbooks.
    def failure
      @changes.failures.first || { resource: nil, where: where(run_status.exception),
                                   error: run_status.exception.message }
    end

    def where(error)
      return nil if error.nil?
      return error.where if error.respond_to?(:where) && error.where

      line = Array(error.backtrace).filter_map { |text| Changes.inside_cookbooks(text) }.first
      line || Changes.inside_cookbooks(error.message) || where(error.cause)
    end

    # A full disk has what was kept free for this.
    def write(name, content)
      path = File.join(@state, name)
      retried = false
      begin
        File.open(path, "w", 0o600) { |file| file.puts(JSON.pretty_generate(content)) }
      rescue Errno::ENOSPC
        raise if retried

        retried = true
        FileUtils.rm_f([path, File.join(@state, "reserve")])
        retry
      end
    end
  end
end
