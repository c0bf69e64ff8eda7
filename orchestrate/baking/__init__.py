"""The parts of a bake in which Chef, Packer, AWS, the suites and the catalogue meet.

`place` knows what images are made from, `builder` makes one, `suites` tests it, `publish` brings it
to its regions, `leftovers` sees that nothing else stays. `orchestrate.bake` tells the story.
"""
