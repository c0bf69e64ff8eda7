# frozen_string_literal: true

require "mixlib/shellout"

module StandIn
  # Running programs from resources, guards and cookbooks: `shell_out`, `shell_out!`, `which`.
  module Shell
    PATH = %w[/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin].freeze
    LOCALE = { "LC_ALL" => "C.UTF-8", "LANG" => "C.UTF-8", "LANGUAGE" => "C.UTF-8" }.freeze

    # Words, or one line for the shell; the finished Mixlib::ShellOut.
    def shell_out(*command, default_env: true, **options)
      words = command.flatten.compact
      given = options.delete(:environment) || options.delete(:env) || {}
      options[:environment] = (default_env ? Shell.environment : {}).merge(given.transform_keys(&:to_s))
      Mixlib::ShellOut.new(*words, **options).tap(&:run_command)
    end

    def shell_out!(*command, **options)
      shell_out(*command, **options).tap(&:error!)
    end

    def which(*names)
      folders = Shell.environment["PATH"].split(":")
      paths = names.product(folders).map { |name, folder| File.join(folder, name) }
      paths.find { |path| File.executable?(path) } || false
    end

    def self.environment
      LOCALE.merge("PATH" => [*ENV.fetch("PATH", "").split(":"), *PATH].reject(&:empty?).uniq.join(":"))
    end
  end
end
