"""A small fleet to start from: templates beside this file, filled in here. Writes nothing."""

import re
from importlib.resources import files
from string import Template

from orchestrate.errors import OrchestrateError
from orchestrate.fleet.facts import zones
from orchestrate.fleet.schema import schemas
from orchestrate.fleet.shapes import IN_WORDS, NAME
from orchestrate.plain_text import shown


def cluster_name(region: str) -> str:
    """`cluster-us-west` for us-west-2."""
    return f"cluster-{region.rpartition('-')[0]}" if region.count("-") > 1 else "cluster-main"


def check(**told: str) -> None:
    """Raise OrchestrateError for what could be more than a word of the files, which have it as it
    was given, or of a file's name. Whether it is the right one, loading the fleet says.
    """
    if strange := [key for key, value in told.items() if re.fullmatch(NAME, value) is None]:
        what = [f"--{key} must be {IN_WORDS[NAME][0]}, not '{shown(told[key])}'" for key in strange]
        raise OrchestrateError("\n".join(what), fix="see `orchestrate init --help`")


def texts(*, name: str, account: str, domain: str, region: str) -> dict[str, str]:
    """The files of a fleet with one cluster, by their path below the fleet folder."""
    cluster = cluster_name(region)
    values = {
        "name": name,
        "account": account,
        "domain": domain,
        "region": region,
        "cluster": cluster,
        "zones": ", ".join(zones.known().get(region, (f"{region}a", f"{region}b"))[:2]),
    }
    return {
        "fleet.yaml": _fill("fleet.yaml", values),
        f"clusters/{cluster}.yaml": _fill("cluster.yaml", values),
        **{f"schema/{file}": text for file, text in schemas().items()},
    }


def _fill(template: str, values: dict[str, str]) -> str:
    text = files(__package__).joinpath(template).read_text(encoding="utf-8")
    return Template(text).substitute(values)
