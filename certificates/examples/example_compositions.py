"""The examples of compositions (FORMAT.md section 9): a dataset of five rows, and what is wrong with a changed one.

An edit changes the list of records: the composition, the dataset, five rows (holds, holds, violated, misclassified,
violated), the accuracy.
"""
import hashlib
import json
import os

POINTS = "1,0\n0,1\n0.5,0.5\n0.25,0.5\n0.75,0.5\n"
LABELS = "0\n1\n0\n0\n0\n"
OPTIONS = ["--dataset", "rows/points.csv", "--labels", "rows/labels.csv", "--radius", "0.125"]
PARTS = "composed.jsonl.parts"


def write_rows(folder):
    for name, text in ("points.csv", POINTS), ("labels.csv", LABELS):
        with open(os.path.join(folder, "rows", name), "w", newline="\n") as out:
            out.write(text)


def put(at, **values):
    """Other values in record `at`; None takes a key away."""
    def edit(records):
        for key, value in values.items():
            records[at].pop(key) if value is None else records[at].update({key: value})
    return edit


def both(*edits):
    def edit(records):
        for each in edits:
            each(records)
    return edit


def row(i, **values):
    return put(2 + i, **values)


def counts(clean, attacked, certified):
    return put(-1, clean=clean, attacked=attacked, certified=certified)


def drop(at):
    return lambda records: records.pop(at)


def swap(a, b):
    def edit(records):
        records[a], records[b] = records[b], records[a]
    return edit


def incomplete(records):
    """Row 0 gets a part that leaves its proof open."""
    with open("rejected/%s/row-0.jsonl" % PARTS, encoding="utf-8") as file:
        lines = file.read().split("\n")[:5] + ['{"record":"open"}']
    body = "".join(line + "\n" for line in lines)
    data = body + '{"record":"footer","records":%d,"sha256":"%s"}\n' % (
        len(lines), hashlib.sha256(body.encode()).hexdigest())
    with open("rejected/%s/open.jsonl" % PARTS, "w", newline="") as out:
        out.write(data)
    row(0, path=PARTS + "/open.jsonl", sha256=hashlib.sha256(data.encode()).hexdigest())(records)


def part_of_another_row(records):
    with open("rejected/%s/row-0.jsonl" % PARTS, "rb") as file:
        data = file.read()
    with open("rejected/%s/again.jsonl" % PARTS, "wb") as out:
        out.write(data)
    row(1, path=PARTS + "/again.jsonl", sha256=hashlib.sha256(data).hexdigest())(records)


NONE = dict(path=None, sha256=None)
ACCEPTED = [
    ("claims_less", both(row(0, claim="unknown", **NONE), counts(4, 2, 1)), "a row that is proved may be left unknown"),
]
REJECTED = [
    ("version_2", put(0, version=2), "a version that does not exist"),
    ("format", put(0, format="outward-certificate"), "another format"),
    ("key_more", put(0, note="x"), "a key that is not of the form"),
    ("semantics_fp64", put(0, semantics="fp64_any"), "not the claim of the element type"),
    ("graph", put(1, graph="0" * 64), "another network"),
    ("inputs", put(1, inputs=3), "another number of inputs"),
    ("outputs", put(1, outputs=3), "another number of outputs"),
    ("rows_fewer", both(put(1, rows=4), drop(6), counts(3, 2, 2)), "a row of the dataset is left out"),
    ("row_missing", drop(3), "a row is missing"),
    ("rows_swapped", swap(2, 3), "rows out of order"),
    ("row_label", row(0, label=1), "another label than the dataset has"),
    ("row_property", row(0, property="0" * 64), "about another question"),
    ("row_without_part", row(0, **NONE), "a claim without a part"),
    ("unknown_with_part", row(2, claim="unknown"), "a part without a claim"),
    ("not_misclassified", both(row(2, claim="misclassified", **NONE), counts(3, 2, 2)),
     "the label is what the network predicts"),
    ("not_predicted", both(row(3, claim="unknown"), counts(5, 3, 2)), "the label is not what the network predicts"),
    ("claim_opposite", both(row(2, claim="holds"), counts(4, 3, 3)), "the part shows a counterexample"),
    ("claim_violated", both(row(0, claim="violated"), counts(4, 1, 1)), "the part is a proof"),
    ("counts_clean", counts(5, 2, 2), "more rows predicted than listed"),
    ("counts_attacked", counts(4, 3, 2), "more rows not refuted than listed"),
    ("counts_certified", counts(4, 2, 3), "more rows proved than listed"),
    ("part_twice", lambda r: row(1, path=r[2]["path"], sha256=r[2]["sha256"])(r), "two rows name one part"),
    ("part_of_another_row", part_of_another_row, "the part is about another row"),
    ("part_missing", row(0, path=PARTS + "/nowhere.jsonl"), "there is no such part"),
    ("part_digest", row(0, sha256="0" * 64), "the part has another digest"),
    ("part_up", row(0, path=PARTS + "/../" + PARTS + "/row-0.jsonl"), "the path goes up"),
    ("part_dot", row(0, path="./" + PARTS + "/row-0.jsonl"), "the path has a dot for a part"),
    ("part_folder", row(0, path=PARTS), "the part is a folder"),
    ("part_open", incomplete, "the part leaves a scope open"),
    ("accuracy_missing", drop(-1), "the counts are missing"),
]
FOOTER = [("footer", lambda text: text.replace('"records":8', '"records":9'), "the footer counts other records"),
          ("after_footer", lambda text: text + "\n", "bytes after the footer")]


def records_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file.read().split("\n")[:-2]]
