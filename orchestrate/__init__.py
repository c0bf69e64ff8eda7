"""Infrastructure as code for a deep-learning lab, driven from Python.

Layers, top to bottom, enforced by import-linter (see pyproject.toml):

    cli  >  apply  >  domain packages  >  aws | shell  >  models, errors

Pure modules read no clock, no environment, no file and no network. Nothing outside `cli/`
imports `lab/`: the rest of the program sees the lab only as a `Target`.
"""

__version__ = "0.1.0"
