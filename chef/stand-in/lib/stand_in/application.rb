# frozen_string_literal: true

require "json"
require "mixlib/cli"
require_relative "../stand_in"

module StandIn
  # The command line: chef-client's, as far as it is used here.
  class Application
    include Mixlib::CLI

    option :config_file, short: "-c FILE", long: "--config FILE", required: true, description: "client.rb"
    option :json_attribs, short: "-j FILE", long: "--json-attributes FILE", required: true,
                          description: "run list and attributes of the node"
    option :local_mode, short: "-z", long: "--local-mode", boolean: true, description: "the only mode there is"
    option :why_run, short: "-W", long: "--why-run", boolean: true, description: "show what would change"
    option :formatter, short: "-F FORMAT", long: "--format FORMAT", description: "doc", in: %w[doc]
    option :force_formatter, long: "--force-formatter", boolean: true, description: "always so"
    option :color, long: "--[no-]color", boolean: true, description: "there is none"
    option :log_level, short: "-l LEVEL", long: "--log_level LEVEL", proc: :to_sym.to_proc,
                       description: "debug, info, warn, error or fatal", in: %i[debug info warn error fatal]
    option :help, short: "-h", long: "--help", on: :tail, boolean: true, show_options: true, exit: 0

    # 0 where the host is as the cookbooks say, else 1.
    def run(words)
      rest = parse_options(words)
      raise ConfigurationError, "what is `#{rest.join(' ')}'?" if rest.any?

      json = node_json
      configure
      Client.new(Chef::Config, json, events).run ? 0 : 1
    rescue ConfigurationError => e
      warn("#{NAME}: #{e.message}")
      1
    end

    private

    def configure
      Chef::Config.from_file(config[:config_file])
      Chef::Config[:why_run] = config[:why_run] || false
      Chef::Log.init($stdout)
      Chef::Log.level = config[:log_level] || :warn
      File.umask(0o022)
      # Commands start there, wherever the client was started.
      Dir.chdir("/")
    rescue ScriptError, StandardError => e
      raise ConfigurationError, "#{config[:config_file]}: #{e.message}"
    end

    def node_json
      JSON.parse(File.read(config[:json_attribs]))
    rescue SystemCallError, JSON::ParserError => e
      raise ConfigurationError, "#{config[:json_attribs]}: #{e.message.lines.first.strip}"
    end

    def events
      Events::Dispatcher.new(DocFormatter.new($stdout), *Array(Chef::Config[:event_handlers]))
    end
  end
end
