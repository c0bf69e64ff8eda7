unified_mode true

require 'uri'

provides :nvidia_signed_archive
description 'An archive of packages whose signing key is known by its fingerprint'

property :archive, String, name_property: true, description: 'Name of its files'
property :uri, String, required: true, description: 'The archive; ends with a slash, as flat archives do'
property :key, String, required: true, description: 'Where its key is: a URI, or a file of the archive'
property :fingerprint, String, required: true, description: 'Of the key, 40 hex digits'

action :add do
  keyring = "/etc/apt/keyrings/#{new_resource.archive}.asc"
  # As apt names what it has fetched: apt-secure(8), and URItoFileName in its source.
  lists = "/var/lib/apt/lists/#{new_resource.uri.sub(%r{\A\w+://}, '').gsub('_', '%5f').tr('/', '_')}*Release"

  directory '/etc/apt/keyrings' do
    owner 'root'
    group 'root'
    mode '0755'
  end

  # Fetched anew where the ring lacks the key: an archive may have changed it.
  bash "fetch the key of #{new_resource.archive}" do
    code <<~BASH
      set -euo pipefail
      new=$(mktemp)
      trap 'rm -f "$new"' EXIT
      curl --fail --silent --show-error --location --retry 3 --output "$new" "$KEY"
      found=$(gpg --batch --show-keys --with-colons "$new" | awk -F: '$1 == "fpr" { print $10 }')
      grep --quiet --line-regexp "$FINGERPRINT" <<<"$found" || {
        echo "$KEY is not the key that was expected: $FINGERPRINT is not among" $found >&2
        exit 1
      }
      install -m 0644 "$new" "$KEYRING"
    BASH
    environment(
      'KEY' => ::URI.join(new_resource.uri, new_resource.key).to_s,
      'FINGERPRINT' => new_resource.fingerprint,
      'KEYRING' => keyring
    )
    not_if "test -f #{keyring} && gpg --batch --show-keys --with-colons #{keyring} | " \
           "grep --quiet '^fpr:*#{new_resource.fingerprint}:'"
  end

  # apt itself takes only what this one key of the ring has signed.
  file "/etc/apt/sources.list.d/#{new_resource.archive}.sources" do
    content <<~SOURCES
      # Managed by orchestrate.
      Types: deb
      URIs: #{new_resource.uri}
      Suites: /
      Signed-By: #{keyring} #{new_resource.fingerprint}
    SOURCES
    owner 'root'
    group 'root'
    mode '0644'
    notifies :update, "apt_update[#{new_resource.archive}]", :immediately
  end

  apt_update new_resource.archive do
    action :nothing
  end

  # Where an earlier run got no lists, nothing is changed that could notify.
  apt_update "#{new_resource.archive}, again" do
    action :update
    not_if { ::Dir.glob(lists).any? }
  end

  unless ::Chef::Config[:why_run] || ::Dir.glob(lists).any?
    raise "#{new_resource.uri} has no lists that #{new_resource.fingerprint} has signed: apt-get update says why"
  end
end
