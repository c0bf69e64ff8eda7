unified_mode true

provides :base_person
description 'A person of the fleet: an account with the same ids everywhere, and keys that let it in'

property :login, String, name_property: true, description: 'Name of the account'
property :uid, Integer, description: 'Number of the account and of its own group'
property :home, String, default: lazy { "/home/#{login}" }, description: 'Where the account has its home'
property :keys, Array, default: [], description: 'OpenSSH public keys'

action :create do
  old_home = Orchestrate::Accounts.homes[new_resource.login]

  group new_resource.login do
    gid new_resource.uid
  end

  # usermod refuses while the account has a process. vipw takes the same lock. What is in the old home stays.
  bash "give #{new_resource.login} another home" do
    code <<~BASH
      set -eu
      export VISUAL="sed -i /^$ACCOUNT:/s,:$OLD:,:$NEW:,"
      vipw
      getent passwd "$ACCOUNT" | grep -q ":$NEW:"
    BASH
    environment('ACCOUNT' => new_resource.login, 'OLD' => old_home.to_s, 'NEW' => new_resource.home)
    not_if { [nil, new_resource.home].include?(old_home) }
  end

  user new_resource.login do
    uid new_resource.uid
    gid new_resource.uid
    home new_resource.home
    shell '/bin/bash'
    manage_home false
  end

  file key_file do
    content new_resource.keys.map { |key| "#{key}\n" }.join
    owner 'root'
    group 'root'
    mode '0644'
  end
end

# The keys go first: nobody comes back while the rest is done. The home stays, it is the lab's work.
action :remove do
  file key_file do
    action :delete
  end

  if Orchestrate::Accounts.uids.key?(new_resource.login)
    %W(/var/lib/systemd/linger/#{new_resource.login} /var/spool/cron/crontabs/#{new_resource.login}).each do |path|
      file path do
        action :delete
      end
    end

    # userdel refuses to while any is left.
    bash "end what #{new_resource.login} runs" do
      code <<~BASH
        for try in 1 2 3 4 5 6 7 8 9 10; do
          pkill --signal KILL --uid "$LOGIN" || exit 0
          sleep 0.1
        done
        ps -u "$LOGIN" >&2
        exit 1
      BASH
      environment 'LOGIN' => new_resource.login
      only_if %W(pgrep --uid #{new_resource.login})
    end

    user new_resource.login do
      manage_home false
      action :remove
    end
  end
end

action_class do
  def key_file
    ::File.join(Orchestrate::People::KEYS, new_resource.login)
  end
end
