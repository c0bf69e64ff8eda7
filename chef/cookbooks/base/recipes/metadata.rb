# Whoever asks EC2's metadata service gets the credentials of the host's role: that is for who looks
# after the host. Only the packet that opens a connection has its owner for sure, and none goes without.
uids = Orchestrate::Accounts.uids.values_at(*node['base']['metadata']['accounts']).compact.sort

base_packet_rules 'metadata' do
  purpose 'Only root and who is named for it take the role of this host'
  chains <<~NFT
    chain asking {
      type filter hook output priority filter; policy accept;
      ip daddr 169.254.169.254 tcp flags & (syn | ack) == syn jump opening
      ip6 daddr fd00:ec2::254 tcp flags & (syn | ack) == syn jump opening
    }
    chain opening {
      meta skuid { #{uids.join(', ')} } accept
      reject with tcp reset
    }
  NFT
end
