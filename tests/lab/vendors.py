"""A host on the lab's internet that answers for vendors' sites, with made-up packages and keys.

Other hosts take it for those sites once they are told so: by name, with a certificate they trust,
over the routes that lead to the internet. What it serves is changed at will: so a site fails.
"""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate import shell
from tests.lab.chef_host import ChefHost
from tests.lab.conftest import LabFolder
from tests.lab.machines import remove_instances, site

ROOT = "/srv/www"
CERTIFICATE = "/srv/vendors.crt"
# A site is a folder of its name; what isn't there is a 404.
SERVER = f"""\
import http.server, pathlib, ssl
class Site(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        return str(pathlib.Path("{ROOT}", self.headers["Host"], path.lstrip("/")))
server = http.server.ThreadingHTTPServer(("", 443), Site)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("{CERTIFICATE}", "/srv/vendors.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


@dataclass(frozen=True)
class Package:
    """A made-up Debian package of one version; `files` are paths and contents, all executable."""

    name: str
    version: str
    files: Mapping[str, str] = field(default_factory=dict)

    def built(self) -> bytes:
        """The .deb."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "root")
            for path, text in {**self.files, "DEBIAN/control": self.control}.items():
                file = root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                file.chmod(0o755)
            shell.run(["dpkg-deb", "--root-owner-group", "--build", str(root), f"{folder}/a.deb"])
            return Path(folder, "a.deb").read_bytes()

    @property
    def control(self) -> str:
        return (
            f"Package: {self.name}\nVersion: {self.version}\nArchitecture: all\n"
            "Maintainer: A test <test@example.net>\nDescription: made up\n"
        )


@dataclass(frozen=True)
class Vendors:
    """The host; `names` are the sites it answers for."""

    host: ChefHost
    names: tuple[str, ...]

    def start(self) -> None:
        """Make a certificate for the names and serve; keys for signing come with GnuPG."""
        names = ",".join(f"DNS:{name}" for name in self.names)
        self.host.install(["gnupg"])
        self.host.put("/srv", {"server.py": self._file(SERVER.encode())})
        self.says(
            "sudo openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30"
            f" -subj /CN=vendors -addext subjectAltName={names}"
            f" -keyout /srv/vendors.key -out {CERTIFICATE} 2>/dev/null"
            " && sudo systemd-run --quiet --unit vendors python3 /srv/server.py"
        )

    def known_to(self, other: ChefHost) -> None:
        """From here on, `other` finds the sites here and trusts them."""
        certificate = self.says(f"cat {CERTIFICATE}")
        folder = "/usr/local/share/ca-certificates"
        other.put(folder, {"vendors.crt": self._file(certificate.encode())})
        line = f"{self.host.machine.address} {' '.join(self.names)}"
        other.machine.says(
            f"echo '{line}' | sudo tee -a /etc/hosts && sudo update-ca-certificates 2>&1"
        )

    def serve(self, name: str, path: str, content: bytes) -> None:
        self.host.put(f"{ROOT}/{name}", {path: self._file(content)})

    def remove(self, name: str, path: str = "") -> None:
        self.says(f"sudo rm -rf {ROOT}/{name}/{path}")

    def new_key(self, who: str) -> str:
        """Make a signing key; its fingerprint."""
        self.says(f"sudo gpg --batch --passphrase '' --quick-gen-key {who} rsa3072 sign 2>&1")
        shown = self.says(f"sudo gpg --with-colons --fingerprint {who}")
        return next(line.split(":")[9] for line in shown.splitlines() if line.startswith("fpr"))

    def publish_key(self, fingerprint: str, name: str, path: str) -> None:
        where = f"{ROOT}/{name}/{path}"
        self.says(
            f"sudo mkdir -p $(dirname {where})"
            f" && sudo gpg --armor --export {fingerprint} | sudo tee {where} >/dev/null"
        )

    def publish(self, packages: Iterable[Package], name: str, path: str, fingerprint: str) -> None:
        """An archive without folders, as NVIDIA has it, signed with the key."""
        index = ""
        for package in packages:
            data, file = package.built(), f"{package.name}_{package.version}.deb"
            self.serve(name, f"{path}/{file}", data)
            digest = hashlib.sha256(data).hexdigest()
            index += f"{package.control}Filename: ./{file}\nSize: {len(data)}\nSHA256: {digest}\n\n"
        digest = hashlib.sha256(index.encode()).hexdigest()
        release = f"Date: Mon, 30 Nov 2026 00:00:00 UTC\nSHA256:\n {digest} {len(index)} Packages\n"
        self.serve(name, f"{path}/Packages", index.encode())
        self.serve(name, f"{path}/Release", release.encode())
        self.sign(name, path, fingerprint)

    def sign(self, name: str, path: str, fingerprint: str) -> None:
        """Sign an archive anew."""
        signed = f"gpg --batch --yes --local-user {fingerprint} --clearsign -o InRelease Release"
        self.says(f"cd {ROOT}/{name}/{path} && sudo {signed} 2>&1")

    def says(self, command: str) -> str:
        return self.host.machine.says(command, timeout_s=120)

    def _file(self, content: bytes) -> Path:
        """A file of this content, that tar may take."""
        folder = self.host.machine.account.lab.files.folder.parent / "vendors"
        folder.mkdir(exist_ok=True)
        file = folder / hashlib.sha256(content).hexdigest()
        file.write_bytes(content)
        return file


@contextmanager
def vendors_and_host(
    lab: LabFolder, numbers: tuple[str, str], names: tuple[str, ...]
) -> Iterator[tuple[Vendors, ChefHost]]:
    """Vendors in one account's network, and a fresh host in another's that takes them for real."""
    ours, theirs = (site(lab, number) for number in numbers)
    theirs.ec2.authorize_security_group_ingress(
        GroupId=theirs.security_group,
        IpProtocol="tcp",
        FromPort=443,
        ToPort=443,
        CidrIp="0.0.0.0/0",
    )
    try:
        vendors, host = Vendors(ChefHost(theirs.launch()), names), ChefHost(ours.launch())
        vendors.start()
        vendors.known_to(host)
        yield vendors, host
    finally:
        for place in (ours, theirs):
            remove_instances(place)
