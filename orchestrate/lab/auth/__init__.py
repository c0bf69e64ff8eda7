"""Who calls the lab's AWS API: the signature of every call is checked, as AWS does.

`check` tells the story, `refusals` words what it comes to; the others are its parts.
"""
