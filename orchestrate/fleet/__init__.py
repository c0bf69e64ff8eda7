"""The fleet: everything that should exist, as the user wrote it in `fleet/`.

`models` is the shape, `load` reads YAML into it, `rules` are the checks across files, `names`
derives every name AWS sees, `ranges` every address range that is wanted. All but `load` are pure.
"""
