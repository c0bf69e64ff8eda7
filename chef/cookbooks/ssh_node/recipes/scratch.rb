scratch = node['ssh_node']['scratch']

# Stripes instance storage, of which large types have eight disks.
package 'mdadm'

cookbook_file '/usr/local/sbin/mount-scratch' do
  source 'mount-scratch.sh'
  owner 'root'
  group 'root'
  mode '0755'
end

directory scratch['path'] do
  owner 'root'
  group 'root'
  mode '1777'
end

# At every boot: instance storage is empty again after a stop.
systemd_unit 'scratch.service' do
  content <<~UNIT
    # Managed by orchestrate.
    [Unit]
    Description=Scratch space on instance storage
    ConditionPathExistsGlob=#{scratch['disks']}
    ConditionPathIsMountPoint=!#{scratch['path']}
    Before=systemd-user-sessions.service

    [Service]
    Type=oneshot
    RemainAfterExit=yes
    ExecStart=/bin/sh -c 'exec /usr/local/sbin/mount-scratch #{scratch['path']} #{scratch['disks']}'

    [Install]
    WantedBy=multi-user.target
  UNIT
  action %i(create enable)
end

systemd_unit 'scratch.service' do
  action :start
  only_if { ::Dir.glob(scratch['disks']).any? }
end

template '/etc/tmpfiles.d/scratch.conf' do
  source 'scratch.conf.erb'
  owner 'root'
  group 'root'
  mode '0644'
  variables(scratch.to_h.transform_keys(&:to_sym))
end
