# frozen_string_literal: true

require "shellwords"

module StandIn
  module Resources
    # Debian packages, any number in one call of apt-get.
    class Package < Resource
      provides :apt_package
      provides :package
      property :package_name, [String, Array], name_property: true
      property :version, [String, Array]
      property :options, [String, Array], coerce: proc { |given| given.is_a?(String) ? given.shellsplit : given }
      property :default_release, String
      property :timeout, [Integer, String], default: 900, coerce: proc(&:to_i)
      property :overwrite_config_files, [true, false], default: false
      property :allow_downgrade, [true, false], default: true
      property :environment, Hash, default: {}

      action :install do
        missing = named.reject { |name, version| present?(name, version) }
        get("install", resolved(missing)) if missing.any?
      end

      action :upgrade do
        old = resolved(named).reject { |name, version| installed[name] == version }
        get("upgrade", old) if old.any?
      end

      action :remove do
        take_away("remove", named.keys.select { |name| installed.key?(name) })
      end

      action :purge do
        take_away("purge", named.keys.select { |name| installed.key?(name) || left_over.include?(name) })
      end

      action :lock do
        hold("hold", named.keys - held)
      end

      action :unlock do
        hold("unhold", named.keys & held)
      end

      action_class do
        def prepare
          versions = Array(new_resource.version)
          names = Array(new_resource.package_name)
          uneven = versions.any? && versions.size != names.size
          raise PropertyError, "#{versions.size} versions for #{names.size} packages" if uneven

          @named = names.zip(versions).to_h
        end

        # Names and the versions wanted of them; nil is any.
        attr_reader :named

        def present?(name, version)
          version ? installed[name] == version : installed.key?(name)
        end

        def installed
          statuses.filter_map { |name, state, version| [name, version] if state == "installed" }.to_h
        end

        # Removed, but their configuration is still there.
        def left_over
          statuses.filter_map { |name, state, _| name if state == "config-files" }
        end

        def statuses
          @statuses ||= query.flat_map do |name, architecture, state, version|
            [[name, state, version], ["#{name}:#{architecture}", state, version]]
          end
        end

        def query
          form = '${Package}\t${Architecture}\t${db:Status-Status}\t${Version}\n'
          shell_out("dpkg-query", "-W", "-f", form, *named.keys).stdout.lines(chomp: true).map do |line|
            line.split("\t")
          end
        end

        # Names and the exact versions to get; nil for a virtual package, and where a run that only looks
        # finds no source: a resource before it would have added one.
        def resolved(packages)
          policy = candidates(packages.keys)
          packages.to_h { |name, version| [name, choose(name, version, policy.fetch(name, {}))] }
        end

        def choose(name, version, policy)
          return version if version && policy.fetch(:versions, []).include?(version)
          return policy[:candidate] if version.nil? && policy[:candidate]
          return nil if why_run? || (version.nil? && virtual?(name))

          raise Error, version ? unavailable(name, version, policy) : "no package source offers #{name}"
        end

        def unavailable(name, version, policy)
          offered = policy.fetch(:versions, [])
          others = offered.empty? ? "nor any other version" : "but #{offered.first(5).join(', ')}"
          "no package source offers #{name} #{version}, #{others}"
        end

        # Of each name, apt's candidate and all versions.
        def candidates(names)
          text = shell_out!("apt-cache", *release, "policy", *names, environment: { "LC_ALL" => "C" }).stdout
          text.split(/^(?=\S+:$)/).to_h do |block|
            candidate = block[/^  Candidate: (.+)$/, 1]
            [block.lines.first.to_s.chomp(":\n"), { candidate: candidate == "(none)" ? nil : candidate,
                                                    versions: block.scan(/^ (?:\*\*\*|   ) (\S+) -?\d+$/).flatten }]
          end
        end

        def virtual?(name)
          providers = shell_out("apt-cache", "showpkg", name).stdout[/^Reverse Provides: *\n(.*)\z/m, 1].to_s
          names = providers.lines.map { |line| line.split.first }.uniq
          raise Error, "#{name} is provided by #{names.join(', ')}: name one of them" if names.size > 1

          names.any? && (installed.key?(names.first) || true)
        end

        def get(verb, packages)
          texts = packages.map { |name, version| [verb, name, version && "to version #{version}"].compact.join(" ") }
          words = packages.map { |name, version| version ? "#{name}=#{version}" : name }
          downgrade = new_resource.allow_downgrade ? ["--allow-downgrades"] : []
          converge_by(*texts) do
            apt_get(*downgrade, *configuration_files, *release, *new_resource.options, "install", *words)
          end
        end

        def take_away(verb, names)
          return if names.empty?

          converge_by(*names.map { |name| "#{verb} #{name}" }) { apt_get(*new_resource.options, verb, *names) }
        end

        def hold(verb, names)
          converge_by("#{verb} #{names.join(', ')}") { shell_out!("apt-mark", verb, *names) } if names.any?
        end

        def held
          shell_out!("apt-mark", "showhold").stdout.split
        end

        def apt_get(*words)
          environment = { "DEBIAN_FRONTEND" => "noninteractive" }.merge(new_resource.environment)
          shell_out!("apt-get", "-q", "-y", *words, environment: environment, timeout: new_resource.timeout)
        end

        def release
          new_resource.default_release ? ["-o", "APT::Default-Release=#{new_resource.default_release}"] : []
        end

        def configuration_files
          return [] if Array(new_resource.options).any? { |option| option.include?("--force-conf") }
          return ["-o", "Dpkg::Options::=--force-confnew"] if new_resource.overwrite_config_files

          ["-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"]
        end
      end
    end
  end
end
