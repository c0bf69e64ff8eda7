"""A run: what it may touch, in what order, one at a time, written down as it happens.

`choose`, `data_guard`, `exit_code`, `resume` decide (pure); `schedule` works on stacks in parallel;
`journal` and `history` write and read `.orchestrate/runs/`. What the work is, nothing here knows:
a run of Terraform and a run of Packer would look the same.
"""
