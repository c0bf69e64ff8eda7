# People hop to the SSH of the fleet's networks and no further: from here to the internet, they would be
# us. sshd connects as whom it connects for; what it needs beside is the name of where to.
uids = Orchestrate::People::UIDS
admins = node['orchestrate']['users'].select { |_, user| user['admin'] }.map { |_, user| user['uid'] }.sort
# They ask this host's own services.
verifiers = node['orchestrate']['users'].select { |_, user| user['verifier'] }.map { |_, user| user['uid'] }.sort
networks = node['orchestrate']['networks'].to_a
accepted = []
accepted << "meta skuid { #{admins.join(', ')} } accept" if admins.any?
accepted << "meta skuid { #{verifiers.join(', ')} } oif \"lo\" accept" if verifiers.any?
accepted << "ip daddr { #{networks.join(', ')} } tcp dport 22 accept" if networks.any?

# By the numbers that people can have, so that nobody gets through whom this list forgot.
base_packet_rules 'reach' do
  purpose "People who hop through this host reach the SSH of the fleet's networks only"
  chains <<~NFT
    chain connecting {
      type filter hook output priority filter; policy accept;
      meta skuid #{uids.begin}-#{uids.end} jump person
    }
    chain person {
      #{[*accepted, 'oif "lo" tcp dport 22 accept', 'meta l4proto { tcp, udp } th dport 53 accept'].join("\n  ")}
      meta l4proto tcp reject with tcp reset
      reject with icmpx type admin-prohibited
    }
  NFT
end
