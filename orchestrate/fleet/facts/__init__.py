"""What AWS offers: instance types, regions and zones, as data committed beside the code.

`refresh` writes the data files anew from the package moto, which keeps AWS's own answers to
DescribeInstanceTypes and friends; nothing else here may touch the network or AWS.
"""
