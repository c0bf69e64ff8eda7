# The people of the fleet as the node JSON names them, and whether somebody could still log in.
module Orchestrate
  class People
    # Where people's keys are, a file for each. Not in their homes: those may be on storage that is
    # down, and whoever left must not find a key that they put there themselves.
    KEYS = '/etc/ssh/authorized_keys.d'.freeze

    # The shell of those who verify: see there.
    LOOK = '/usr/local/sbin/orchestrate-look'.freeze

    # The numbers that people can have: `User.uid` in orchestrate/fleet/models/fleet_file.py.
    UIDS = (2000..59_999).freeze

    Person = Struct.new(:name, :uid, :keys, :admin, :verifier, keyword_init: true)

    attr_reader :all, :gone, :login

    # `orchestrate` is node['orchestrate']; `known` are those whom the group of everybody has on this
    # host. Who is among them and not in the fleet any more has left as well.
    def initialize(orchestrate, known: [])
      @login = orchestrate['login']
      @all = orchestrate['users'].map do |name, user|
        Person.new(
          name: name, uid: user['uid'], keys: user['keys'].to_a,
          admin: user['admin'], verifier: user['verifier'] || false
        )
      end
      @gone = (orchestrate['gone_users'].to_a | known) - names - [@login]
    end

    # Of those who may more than others, on the host's own disk: who could write to it from elsewhere would be
    # them here.
    def home(person)
      File.join(person.admin || person.verifier ? '/var/home' : '/home', person.name)
    end

    def names
      all.map(&:name)
    end

    def admins
      all.select(&:admin).map(&:name)
    end

    def verifiers
      all.select(&:verifier).map(&:name)
    end

    # The rules for sudo, by name: a group is also what it was when a session began, so that whoever was
    # an administrator would stay one in it. Nobody has a password that it could ask for.
    def sudo_rules
      admins.map { |name| "#{name} ALL=(ALL:ALL) NOPASSWD: ALL\n" } +
        verifiers.map { |name| "#{name} ALL=(root) NOPASSWD: #{LOOK} \"\"\n" }
    end

    # What would keep everybody out, or the one who converges: by sudo, or nil where root does.
    # `accounts` are the names there are.
    def problems(accounts, runs_by)
      found = []
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
      accounts.include?(login) || all.any? { |person| person.admin && person.keys.any? }
    end

    def welcome?(runs_by)
      [nil, 'root', login].include?(runs_by) || all.any? { |one| one.name == runs_by && one.keys.any? }
    end
  end
end
