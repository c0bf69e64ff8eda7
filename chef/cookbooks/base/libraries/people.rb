# The people of the fleet as the node JSON names them, and whether somebody could still log in.
module Orchestrate
  class People
    # Where people's keys are, a file for each. Not in their homes: those may be on storage that is
    # down, and whoever left must not find a key that they put there themselves.
    KEYS = '/etc/ssh/authorized_keys.d'.freeze

    Person = Struct.new(:name, :uid, :keys, :admin, keyword_init: true)

    attr_reader :all, :gone, :login

    # `orchestrate` is node['orchestrate'].
    def initialize(orchestrate)
      @login = orchestrate['login']
      @gone = orchestrate['gone_users'].to_a - [@login]
      @all = orchestrate['users'].map do |name, user|
        Person.new(name: name, uid: user['uid'], keys: user['keys'].to_a, admin: user['admin'])
      end
    end

    def names
      all.map(&:name)
    end

    def admins
      all.select(&:admin).map(&:name)
    end

    # What is wrong with them, all of it. `accounts` are those there are, uids by name; `runs_by` is
    # who converges by sudo, nil where root does.
    def problems(accounts, runs_by)
      system = names.select { |name| name == login || (accounts[name] || 1000) < 1000 }
      found = system.map { |name| "'#{name}' is an account of the system or the image, and can't be a person's" }
      unless way_in?(accounts)
        found << "nobody could log in: there is no login '#{login}', and no administrator with a key"
      end
      found << "'#{runs_by}' converges this host and could not log in again" unless welcome?(runs_by)
      found
    end

    # Files of keys that belong to nobody who is here now.
    def stale_keys(folder = KEYS)
      (Dir.children(folder) - names - [login]).sort.map { |name| File.join(folder, name) }
    rescue Errno::ENOENT
      []
    end

    private

    def way_in?(accounts)
      accounts.key?(login) || all.any? { |person| person.admin && person.keys.any? }
    end

    def welcome?(runs_by)
      [nil, 'root', login].include?(runs_by) || all.any? { |one| one.name == runs_by && one.keys.any? }
    end
  end
end
