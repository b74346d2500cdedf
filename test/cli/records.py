"""Records of kernels and profiles for tests: those shipped, as dictionaries without digests, and sealed lines."""
import hashlib
import json
import os

from models import harness

RECORDS = harness.source("certificates", "records")


def seal(record):
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)[:-1]
    return text + ',"sha256":"%s"}' % hashlib.sha256(text.encode()).hexdigest()


def shipped(name):
    for file in sorted(os.listdir(RECORDS)):
        if file.endswith(".jsonl"):
            for line in harness.read("certificates", "records", file).splitlines():
                record = json.loads(line)
                if record["name"] == name:
                    record.pop("sha256")
                    return record
    raise KeyError(name)
