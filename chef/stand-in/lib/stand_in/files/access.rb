# frozen_string_literal: true

require "etc"

module StandIn
  module Files
    # Owner, group and mode of a path: what differs from what is wanted, and setting it.
    class Access
      # `link`: of the symbolic link itself, which has no mode.
      def initialize(resource, path, link: false)
        @resource = resource
        @path = path
        @link = link
      end

      def differences
        [owner_difference, group_difference, mode_difference].compact
      end

      # The mode last: a change of the owner clears its setuid bits.
      def apply
        change_owner = @link ? File.method(:lchown) : File.method(:chown)
        change_owner.call(uid, gid, @path) if uid || gid
        File.chmod(mode, @path) if mode
      end

      private

      def stat
        @link ? File.lstat(@path) : File.stat(@path)
      rescue Errno::ENOENT
        nil
      end

      def owner_difference
        wanted = @resource.owner
        return if wanted.nil? || (stat && uid == stat.uid)

        "change owner from '#{stat && Access.name_of(:getpwuid, stat.uid)}' to '#{wanted}'"
      end

      def group_difference
        wanted = @resource.group
        return if wanted.nil? || (stat && gid == stat.gid)

        "change group from '#{stat && Access.name_of(:getgrgid, stat.gid)}' to '#{wanted}'"
      end

      def mode_difference
        return if mode.nil? || (stat && mode == (stat.mode & 0o7777))

        "change mode from '#{stat && format('%04o', stat.mode & 0o7777)}' to '#{format('%04o', mode)}'"
      end

      def uid
        Access.number(@resource.owner) { |name| Etc.getpwnam(name).uid }
      end

      def gid
        Access.number(@resource.group) { |name| Etc.getgrnam(name).gid }
      end

      def mode
        wanted = @link ? nil : @resource.mode
        wanted.is_a?(String) ? wanted.to_i(8) & 0o7777 : wanted
      end

      class << self
        # An id of a name, or the number itself. What isn't there yet counts as different in a run that
        # only looks: something before it would have made it.
        def number(name)
          return name if name.nil? || name.is_a?(Integer)

          name.match?(/\A\d+\z/) ? name.to_i : yield(name)
        rescue ArgumentError
          raise unless Chef::Config[:why_run]

          -1
        end

        def name_of(lookup, number)
          Etc.public_send(lookup, number).name
        rescue ArgumentError
          number
        end
      end
    end
  end
end
