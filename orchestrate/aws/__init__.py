"""The AWS API: one file per service, all of them through `session`.

`session` is the only importer of boto3; it takes a Target, so nothing here knows whether it talks
to AWS or to the lab. Functions return plain dataclasses and raise AwsError; no decisions are made
here, and nothing is printed.
"""
