unified_mode true

require 'uri'

provides :signed_archive
description 'An archive of packages whose signing key is known by its fingerprint'

property :archive, String, name_property: true, description: 'Name of its files'
property :uri, String, required: true, description: 'The archive; ends with a slash, as flat archives do'
property :key, String, required: true, description: 'Where its key is: a URI, or a file of the archive'
property :fingerprint, String, required: true, description: 'Of the key, 40 hex digits'

action :add do
  keyring = "/etc/apt/keyrings/#{new_resource.archive}.asc"

  directory '/etc/apt/keyrings' do
    mode '0755'
  end

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
    not_if { ::File.exist?(keyring) }
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
    mode '0644'
    notifies :update, "apt_update[#{new_resource.archive}]", :immediately
  end

  apt_update new_resource.archive do
    action :nothing
  end
end
