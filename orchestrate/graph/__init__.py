"""The picture of a fleet: what is connected to what, as data, as a text outline and as SVG.

`topology` gathers what there is to show; `outline` and `layout` arrange it; `svg` writes the file.
All of it is pure, so the same fleet always gives the same picture.
"""
