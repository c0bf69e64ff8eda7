"""What a host must be: a folder per cookbook. `orchestrate verify` runs these on hosts, as
root or as one who reads everything.

By hand: `pytest tests/infra/base --nodes FILE`, with a nodes.json of `orchestrate verify`, or with
testinfra's own `--hosts=ssh://NAME --ssh-config FILE --sudo`. Not a part of `make test`.
"""

from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Registers the plugin, also where `orchestrate verify` did not."""
    pluginmanager.import_plugin("orchestrate.verify.plugin")


@pytest.fixture(scope="module")
def root(host: Any) -> None:
    """Skips what only root may ask, where the login is one that only verifies."""
    if host.check_output("id -u") != "0":
        pytest.skip("only root may ask this")
