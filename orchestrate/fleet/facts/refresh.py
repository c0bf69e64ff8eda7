"""Write `instance_types.csv` and `zones.csv` anew: `python -m orchestrate.fleet.facts.refresh`.

The facts come from the package moto, which carries what AWS answered to DescribeInstanceTypes,
DescribeInstanceTypeOfferings and DescribeAvailabilityZones. Update moto first.
"""

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MOTO = files("moto") / "ec2" / "resources"


def main() -> None:
    _write("instance_types.csv", _instance_types())
    _write("zones.csv", _zones())


def _instance_types() -> Iterable[dict[str, object]]:
    regions = _regions_by_type()
    for name, facts in sorted(_read("instance_types.json.gz").items()):
        if name.startswith("mac"):  # a Mac host is no Linux host
            continue
        gpus = facts.get("GpuInfo", {}).get("Gpus", [])
        yield {
            "type": name,
            "cpus": facts["VCpuInfo"]["DefaultVCpus"],
            "memory_mib": facts["MemoryInfo"]["SizeInMiB"],
            "gpus": sum(gpu["LogicalGpuCount"] for gpu in gpus),
            "card": gpus[0]["Name"] if gpus else "",
            "architecture": facts["ProcessorInfo"]["SupportedArchitectures"][-1],
            # Only GPUs are scarce enough for their regions to be worth the space.
            "regions": " ".join(sorted(regions[name])) if gpus else "",
        }


def _regions_by_type() -> dict[str, set[str]]:
    found = defaultdict(set)
    folder = MOTO / "instance_type_offerings" / "region"
    for file in folder.iterdir():
        for offer in json.loads(gzip.decompress(file.read_bytes())):
            found[offer["InstanceType"]].add(offer["Location"])
    return found


def _zones() -> Iterable[dict[str, object]]:
    from moto.ec2.models.availability_zones_and_regions import (
        RegionsAndZonesBackend,
    )

    for region, zones in sorted(RegionsAndZonesBackend.zones.items()):
        if not region.startswith(("cn-", "us-gov-")):  # partitions with accounts of their own
            yield {"region": region, "letters": "".join(zone.name[-1] for zone in zones)}


def _read(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(gzip.decompress((MOTO / name).read_bytes()))
    return data


def _write(name: str, rows: Iterable[dict[str, object]]) -> None:
    every = list(rows)
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(every[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(every)


if __name__ == "__main__":
    main()
