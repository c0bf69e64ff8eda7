# frozen_string_literal: true

module StandIn
  module Resources
    # A command. Only its guards and `creates` say when it need not run.
    class Execute < Resource
      provides :execute
      property :command, [String, Array], name_property: true
      property :cwd, String
      property :environment, Hash, default: {}
      property :user, [String, Integer]
      property :group, [String, Integer]
      property :creates, String
      property :returns, [Integer, Array], default: 0
      property :timeout, [Integer, Float, String], default: 3600, coerce: proc(&:to_f)
      property :input, String
      property :login, [true, false], default: false
      property :default_env, [true, false], default: false
      property :live_stream, [true, false], default: false

      # As in Chef, string guards of an execute run where and as whom it runs.
      def guard_defaults
        { cwd: cwd, environment: environment, user: user, group: group, umask: umask }.compact
      end

      action :run do
        next if new_resource.creates && ::File.exist?(created)

        converge_by("execute #{described}") { run_it }
      end

      action_class do
        def created
          ::File.expand_path(new_resource.creates, new_resource.cwd || "/")
        end

        def described
          new_resource.sensitive ? "(suppressed sensitive resource)" : Array(new_resource.command).join(" ").strip
        end

        def run_it
          done = shell_out(*Array(new_resource.command), **options)
          done.error! unless new_resource.sensitive
          return unless done.error?

          raise Error, "the command ended with #{done.exitstatus}, its output is suppressed (sensitive)"
        end

        def options
          taken = %i[cwd user group input timeout environment default_env]
          options = taken.to_h { |name| [name, new_resource.public_send(name)] }.compact
          options[:returns] = Array(new_resource.returns)
          options[:login] = true if new_resource.login
          options[:umask] = new_resource.umask if new_resource.umask
          options[:live_stream] = $stdout if new_resource.live_stream
          options
        end
      end
    end

    # A script for bash.
    class Bash < Execute
      provides :bash
      property :code, String, required: [:run]
      property :flags, String
      property :interpreter, String, default: "bash"
      property :command, [String, Array, nil]

      # Guards of a script run as the client does.
      def guard_defaults
        {}
      end

      action_class do
        def described
          %("#{new_resource.interpreter}" script #{new_resource.name})
        end

        def run_it
          Tempfile.create("stand-in-script") do |script|
            script.write(new_resource.code)
            script.close
            hand_over(script.path)
            done = shell_out(new_resource.interpreter, *new_resource.flags&.shellsplit, script.path, **options)
            raise Error, "the script ended with #{done.exitstatus}" if new_resource.sensitive && done.error?

            done.error!
          end
        end

        # Whoever runs it must be able to read it, and nobody else.
        def hand_over(path)
          owner = Files::Access.number(new_resource.user) { |name| Etc.getpwnam(name).uid }
          group = Files::Access.number(new_resource.group) { |name| Etc.getgrnam(name).gid }
          ::File.chown(owner, group, path)
        end
      end
    end
  end
end
