require 'etc'

# The accounts and groups of this host.
module Orchestrate
  module Accounts
    module_function

    # Their uids by name.
    def uids
      users.transform_values { |one| one['uid'] }
    end

    # Their homes by name.
    def homes
      entries = {}
      Etc.passwd { |entry| entries[entry.name] = entry.dir }
      entries
    end

    # `uid` and `gid` by name.
    def users
      entries = {}
      Etc.passwd { |entry| entries[entry.name] = { 'uid' => entry.uid, 'gid' => entry.gid } }
      entries
    end

    # `gid` and `members` by name.
    def groups
      entries = {}
      Etc.group { |entry| entries[entry.name] = { 'gid' => entry.gid, 'members' => entry.mem } }
      entries
    end
  end
end
