"""cloud-init in the hosts: how user data is run, and who prints what on the console. Pure text.

A host without user data never starts it: everything else that cloud-init does at a first boot
(name, login, keys) is written to the disk before. It is started once sshd runs and not waited
for, and all its stages share one Python process: 40 hosts on two cores would feel three more.
"""

from orchestrate.lab.spec import AnySpec

PACKAGES = ("cloud-init",)
UNIT = "user-data.service"
PROGRAM = "usr/local/sbin/run-user-data"
# The distribution's own way through the stages, before sshd and one process each.
MASKED = (
    "cloud-config.service",
    "cloud-final.service",
    "cloud-init-hotplugd.socket",
    "cloud-init-local.service",
    "cloud-init.service",
)
GENERATORS = ("cloud-init-generator",)

FILES = {
    "etc/cloud/cloud.cfg.d/90_lab.cfg": """\
datasource_list: [Ec2]
datasource:
  Ec2:
    metadata_urls: ["http://169.254.169.254"]
    max_wait: 30
    timeout: 5
network: {config: disabled}
ssh_deletekeys: false
ssh_genkeytypes: [ed25519]
cloud_init_modules: [bootcmd, write-files, set_hostname, ca-certs, users-groups, ssh]
cloud_config_modules: [ssh-import-id, set-passwords, ntp, timezone, runcmd]
cloud_final_modules: [package-update-upgrade-install, write-files-deferred, scripts-vendor, \
scripts-per-once, scripts-per-boot, scripts-per-instance, scripts-user, final-message, \
power-state-change]
""",
    "etc/systemd/system/user-data.service": f"""\
[Unit]
Description=User data, by cloud-init
After=ssh.service
[Service]
Type=exec
ExecStart=/{PROGRAM}
RemainAfterExit=yes
KillMode=process
TasksMax=infinity
Nice=5
StandardOutput=journal+console
""",
    PROGRAM: '''\
#!/usr/bin/python3
"""All stages of cloud-init, one after the other.

It knows EC2 by the hypervisor's identifiers, which a container does not have: so it is told.
"""
import pathlib
import sys

from cloudinit.cmd import main
from cloudinit.sources import DataSourceEc2

DataSourceEc2.identify_platform = lambda: DataSourceEc2.CloudNames.AWS
pathlib.Path("/run/cloud-init").mkdir(exist_ok=True)
pathlib.Path("/run/cloud-init/enabled").touch()
codes = [
    main.main(["cloud-init", *stage.split()])
    for stage in ("init", "modules --mode=config", "modules --mode=final")
]
sys.exit(max(codes))
''',
}


def host_files(spec: AnySpec) -> dict[str, str]:
    """What a host with user data has of its own: the login that is cloud-init's default."""
    return {
        "etc/cloud/cloud.cfg.d/91_login.cfg": f"""\
system_info:
  default_user:
    name: {spec.user}
"""
    }
