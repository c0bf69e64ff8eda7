require 'etc'

# The accounts of this host.
module Orchestrate
  module Accounts
    module_function

    # Their uids by name.
    def uids
      entries = {}
      Etc.passwd { |entry| entries[entry.name] = entry.uid }
      entries
    end
  end
end
