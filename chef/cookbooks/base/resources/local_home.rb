unified_mode true

provides :base_local_home
description 'Moves an account\'s home out of /home, while its owner is logged in'

property :account, String, name_property: true, description: 'Name of the account'
property :home, String, default: lazy { "/var/home/#{account}" }, description: 'Where its home will be'

load_current_value do |wanted|
  home ::Etc.getpwnam(wanted.account).dir
end

action :move do
  converge_if_changed :home do
    directory ::File.dirname(new_resource.home) do
      owner 'root'
      group 'root'
      mode '0755'
    end

    # usermod refuses while the account has a process, and whoever converges this host has one. vipw
    # takes the same lock. The link is for what has the old place by heart.
    bash "move the home of #{new_resource.account}" do
      code <<~BASH
        set -eu
        mkdir -p "$NEW"
        cp -a "$OLD/." "$NEW"
        export VISUAL="sed -i s,:$OLD:,:$NEW:,"
        vipw
        getent passwd "$ACCOUNT" | grep -q ":$NEW:"
        rm -rf "$OLD"
        ln -s "$NEW" "$OLD"
      BASH
      environment(
        'ACCOUNT' => new_resource.account,
        'OLD' => current_resource.home,
        'NEW' => new_resource.home
      )
    end
  end
end
