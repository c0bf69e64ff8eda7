# frozen_string_literal: true

require "etc"

module StandIn
  module Resources
    # A group of this host. As in Chef, without `append` its members are those named here and no others.
    class Group < Resource
      NAMES = proc { |given| given.is_a?(String) ? given.split(/\s*,\s*/) : given }

      provides :group
      property :group_name, String, name_property: true
      property :gid, [String, Integer]
      property :members, [String, Array], default: [], coerce: NAMES
      property :excluded_members, [String, Array], default: [], coerce: NAMES
      property :append, [true, false], default: false, desired_state: false
      property :system, [true, false], default: false, desired_state: false
      property :non_unique, [true, false], default: false, desired_state: false

      action :create do
        next change("alter") if entry

        converge_by("create group #{name}") do
          shell_out!("groupadd", *gid, *("-r" if new_resource.system), *("-o" if new_resource.non_unique), name)
          set_members
        end
      end

      action(:manage) { change("manage") if entry }

      action :modify do
        raise Error, "there is no group #{name}" unless entry || why_run?

        change("modify") if entry
      end

      action :remove do
        converge_by("remove group #{name}") { shell_out!("groupdel", name) } if entry
      end

      action_class do
        def prepare
          both = new_resource.members & new_resource.excluded_members
          raise PropertyError, "both members and excluded: #{both.join(', ')}" if both.any?
        end

        def name
          new_resource.group_name
        end

        def entry
          Etc.getgrnam(name)
        rescue ArgumentError
          nil
        end

        def members
          entry ? entry.mem : []
        end

        def change(verb)
          texts = differences
          return if texts.empty?

          converge_by("#{verb} group #{name}", *texts) do
            shell_out!("groupmod", *gid, name) if gid.any?
            set_members
          end
        end

        def differences
          texts = gid.any? ? ["change gid from #{entry.gid} to #{new_resource.gid}"] : []
          return texts + appended if new_resource.append
          return texts if members.sort == new_resource.members.sort

          texts << "replace members #{members.join(', ')} with #{new_resource.members.join(', ')}"
        end

        def appended
          texts = []
          texts << "add members #{missing.join(', ')}" if missing.any?
          texts << "remove members #{surplus.join(', ')}" if surplus.any?
          texts
        end

        def missing
          new_resource.members - members
        end

        def surplus
          new_resource.excluded_members & members
        end

        def gid
          return [] if new_resource.gid.nil? || (entry && entry.gid.to_s == new_resource.gid.to_s)

          ["-g", new_resource.gid.to_s]
        end

        def set_members
          return shell_out!("gpasswd", "-M", new_resource.members.join(","), name) unless new_resource.append

          missing.each { |member| shell_out!("gpasswd", "-a", member, name) }
          surplus.each { |member| shell_out!("gpasswd", "-d", member, name) }
        end
      end
    end
  end
end
