"""Names that no person's login may have, as they are accounts or groups of something else.

A login has a group of its own name, so that a group's name is as taken as an account's: whoever is
called `docker` would be in that group, and by it root.
"""

# base-passwd of Debian 12, Ubuntu 22.04 and 24.04: users.txt.gz in its documentation.
_BASE = """
root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody
adm tty disk kmem dialout fax voice cdrom floppy tape sudo audio dip operator src shadow utmp video
sasl plugdev staff users nogroup
"""
# Of packages that images bring and that our roles install, and of what people like to install on a
# host: the accounts and groups that their maintainer scripts and sysusers.d(5) files make.
_PACKAGES = """
apt avahi avahi-autoipd ceph chrony clamav colord containerd crontab debian-exim debian-tor dhcpcd
dnsmasq docker dockerroot etcd ftp fuse fwupd-refresh gdm geoclue haproxy http i2c incus
incus-admin input kube kvm landscape lightdm libvirt libvirt-dnsmasq libvirt-qemu lxc lxd memcached
messagebus microk8s munge mysql netdev nfsnobody nginx ntp ntpsec nvidia-persistenced openvpn
podman polkitd pollinate postfix postgres postdrop powerdev prometheus pulse pulse-access rdma redis
render rpc rpcuser rtkit saned scanner sgx slurm snapd-range-524288-root snap-daemon sshd ssh
ssl-cert sssd statd strongswan sudoers syslog tcpdump tss unbound usbmux uuidd wheel wireshark
"""
# The logins that cloud-init makes in vendors' images. Ubuntu's sudoers trusts a group `admin`.
_IMAGES = """
admin centos cloud-user core debian ec2-user fedora ubuntu
"""
IMAGES = frozenset(_IMAGES.split())
SYSTEM = frozenset((_BASE + _PACKAGES).split())
# systemd's own; the groups of the cookbook `base`, fleet-users and fleet-admins, and those to come.
_PREFIXES = ("systemd-", "fleet-", "snapd-", "kube-")


def owner(name: str) -> str | None:
    """Whose a login's name is already: "the system", "the fleet" or "an image"; None where free."""
    if name.startswith("fleet-"):
        return "the fleet"
    if name in SYSTEM or name.startswith(_PREFIXES):
        return "the system"
    return "an image" if name in IMAGES else None
