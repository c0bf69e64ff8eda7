"""`python -m orchestrate`."""

import os

from orchestrate.cli.context import adopt
from orchestrate.cli.main import main
from orchestrate.environment import steady

adopt(steady(os.environ))
main()
