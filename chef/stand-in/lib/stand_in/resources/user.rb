# frozen_string_literal: true

require "etc"
require_relative "../files/access"

module StandIn
  module Resources
    # An account of this host.
    class User < Resource
      COMPARED = %i[comment shell password uid gid].freeze

      provides :linux_user
      provides :user
      property :username, String, name_property: true
      property :comment, String
      property :home, String
      property :shell, String
      property :password, String, sensitive: true
      property :uid, [String, Integer, nil]
      property :gid, [String, Integer, nil]
      property :expire_date, [String, nil]
      property :inactive, [String, Integer, nil]
      property :manage_home, [true, false], default: false, desired_state: false
      property :non_unique, [true, false], default: false, desired_state: false
      property :system, [true, false], default: false, desired_state: false
      property :force, [true, false], default: false, desired_state: false

      action :create do
        next change("alter") if account

        converge_by("create user #{name}") { shell_out!("useradd", *options, *creating, name) }
      end

      action(:manage) { change("manage") if account }

      action :modify do
        raise Error, "there is no user #{name}" unless account || why_run?

        change("modify") if account
      end

      action :remove do
        next unless account

        converge_by("remove user #{name}") { shell_out!("userdel", *removing, name) }
      end

      action :lock do
        converge_by("lock user #{name}") { shell_out!("usermod", "-L", name) } if locked? == false
      end

      action :unlock do
        converge_by("unlock user #{name}") { shell_out!("usermod", "-U", name) } if locked?
      end

      action_class do
        def name
          new_resource.username
        end

        # The entry in /etc/passwd, or nil.
        def account
          @account ||= Etc.getpwnam(name)
        rescue ArgumentError
          nil
        end

        def change(verb)
          texts = differences
          return if texts.empty?

          converge_by("#{verb} user #{name}", *texts) { shell_out!("usermod", *options, *modifying, name) }
        end

        def differences
          home = new_resource.home
          texts = COMPARED.select { |field| differs?(field) }.map { |field| text(field) }
          texts << "change home from #{account.dir} to #{home}" if new_home?
          texts + %i[expire_date inactive].select { |field| ageing_differs?(field) }.map { |field| "change #{field}" }
        end

        def text(field)
          return "change password" if field == :password

          "change #{field} from #{current(field)} to #{wanted(field)}"
        end

        def wanted(field)
          value = new_resource.public_send(field)
          field == :gid ? Files::Access.number(value) { |group| Etc.getgrnam(group).gid } : value
        end

        def current(field)
          return nil unless account

          { comment: account.gecos.dup.force_encoding("UTF-8"), shell: account.shell, password: shadow[1],
            uid: account.uid, gid: account.gid }[field]
        end

        def differs?(field)
          value = wanted(field)
          !value.nil? && value.to_s != current(field).to_s
        end

        def new_home?
          return false if new_resource.home.nil?

          account.nil? || ::File.expand_path(new_resource.home) != ::File.expand_path(account.dir)
        end

        # The fields of /etc/shadow.
        def shadow
          line = ::File.foreach("/etc/shadow").find { |one| one.start_with?("#{name}:") }
          line.to_s.chomp.split(":", -1)
        end

        def ageing_differs?(field)
          value = new_resource.public_send(field)
          return false if value.nil?

          field == :inactive ? shadow[6].to_s != value.to_s : expires.to_s != value.to_s
        end

        def expires
          days = shadow[7].to_s
          days.empty? ? nil : Time.at(days.to_i * 86_400).utc.strftime("%Y-%m-%d")
        end

        def options
          flags = { comment: "-c", gid: "-g", password: "-p", shell: "-s", uid: "-u" }
          words = flags.select { |field, _| differs?(field) }.flat_map { |field, flag| [flag, wanted(field).to_s] }
          words += ["-e", new_resource.expire_date] if new_resource.expire_date
          words += ["-f", new_resource.inactive.to_s] if new_resource.inactive
          words += ["-d", new_resource.home] if new_home?
          words << "-o" if new_resource.non_unique && words.include?("-u")
          words
        end

        def creating
          [*("-r" if new_resource.system), new_resource.manage_home ? "-m" : "-M"]
        end

        def modifying
          new_home? && new_resource.manage_home ? ["-m"] : []
        end

        def removing
          [*("-r" if new_resource.manage_home), *("-f" if new_resource.force)]
        end

        # nil where there is no such user yet, in a run that only looks.
        def locked?
          return nil if account.nil? && why_run?

          shell_out!("passwd", "-S", name).stdout.split[1].to_s.start_with?("L")
        end
      end
    end
  end
end
