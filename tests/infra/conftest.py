"""What a host must be: a folder per cookbook. `orchestrate verify` runs these on hosts, as root.

By hand: `pytest tests/infra/base --nodes FILE`, with a nodes.json of `orchestrate verify`, or with
testinfra's own `--hosts=ssh://NAME --ssh-config FILE --sudo`. Not a part of `make test`.
"""

import pytest


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Registers the plugin, also where `orchestrate verify` did not."""
    pluginmanager.import_plugin("orchestrate.verify.plugin")
