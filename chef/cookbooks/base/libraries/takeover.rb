# What a converge would take over that is on this host for something else: an account or a group of the
# same name or number. A login called like a group would have all that the group has.
module Orchestrate
  class Takeover
    # `users` and `groups` are those of Accounts, `ours` the gids by name of the groups that the fleet
    # makes for itself.
    def initialize(people, users, groups, ours)
      @people = people
      @users = users
      @groups = groups
      @ours = ours
    end

    # All of it, in sentences.
    def problems
      @people.all.flat_map { |one| of_name(one) + of_number(one) } + of_ours + of_gone
    end

    private

    # Below are the accounts of the system, of images and of installers.
    def first
      People::UIDS.begin
    end

    def of_name(one)
      return ["'#{one.name}' is the login of the image or the installer, and can't be a person's"] if image?(one)
      return ["'#{one.name}' is a group of the fleet's own, and can't be a person's login"] if @ours.key?(one.name)

      uid = @users.dig(one.name, 'uid')
      return ["'#{one.name}' is an account of this host (uid #{uid}), and can't be a person's"] if uid && uid < first

      gid = @groups.dig(one.name, 'gid')
      return [] if gid.nil? || own?(one, gid)

      ["'#{one.name}' is a group of this host (gid #{gid}), and can't be a person's login"]
    end

    def image?(one)
      one.name == @people.login
    end

    # A person's group, before or after the fleet gave them another number.
    def own?(one, gid)
      gid >= first && [one.uid, @users.dig(one.name, 'gid')].include?(gid)
    end

    def of_number(one)
      user = holder(@users, 'uid', one.uid, one.name)
      group = holder(@groups, 'gid', one.uid, one.name)
      found = []
      found << "uid #{one.uid} of '#{one.name}' is that of '#{user}' on this host" if user
      found << "gid #{one.uid} of '#{one.name}' is that of the group '#{group}' on this host" if group
      found
    end

    # Who has a number, but for its new owner and those who go.
    def holder(entries, kind, number, owner)
      entries.keys.find { |name| entries[name][kind] == number && ![owner, *@people.gone].include?(name) }
    end

    def of_ours
      @ours.flat_map do |name, gid|
        other = @groups.key(@groups.values.find { |group| group['gid'] == gid && group != @groups[name] })
        there = @groups.dig(name, 'gid')
        found = []
        found << "gid #{gid} of the fleet's '#{name}' is that of the group '#{other}' on this host" if other
        found << "the fleet's group '#{name}' has gid #{there} on this host, not #{gid}" if there && there != gid
        found
      end
    end

    # Nobody's account is removed because somebody who left had its name.
    def of_gone
      system = @people.gone.select { |name| (@users.dig(name, 'uid') || first) < first }
      system.map { |name| "'#{name}' left the fleet, but is an account of this host (uid #{@users[name]['uid']})" }
    end
  end
end
