"""`python -m orchestrate`."""

from orchestrate.cli.main import main

main()
