# The distribution's plugins are here; networks like flannel bring their own to the other place, and
# look for all of them there.
directory '/opt/cni' do
  owner 'root'
  group 'root'
  mode '0755'
end

link '/opt/cni/bin' do
  to '/usr/lib/cni'
end

directory '/etc/cni/net.d' do
  owner 'root'
  group 'root'
  mode '0755'
  recursive true
end
