"""Every certificate of certificates/examples gets the expected word from `check` and from the second checker here."""
import collections
import csv
import fnmatch
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import check as second
import harness

EXAMPLES = harness.source("certificates", "examples")
CODES = {"VALID": 0, "INVALID": 1, "INCOMPLETE": 2, "VALID_BUT_NOT_ASKED": 2, "VALID(VACUOUS)": 2, "MALFORMED": 4,
         "UNSUPPORTED": 4}


def rows():
    with open(os.path.join(EXAMPLES, "expected.csv"), newline="") as file:
        return list(csv.DictReader(file))


def question(row):
    """The arguments both programs take after the certificate."""
    return (["--model", "models/%s.onnx" % row["model"]] + row["options"].split()
            + (["--expect", row["expect"]] if row["expect"] != "holds" else [])
            + (["--semantics", row["semantics"]] if row["semantics"] else []))


class AgreeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = rows()
        os.chdir(EXAMPLES)

    def test_the_list_is_complete(self):
        listed = {row["file"] for row in self.rows}
        found = {"%s/%s" % (folder, name) for folder in ("accepted", "rejected") for name in os.listdir(folder)
                 if not name.endswith(".parts")}  # parts of compositions are judged with these
        self.assertEqual(listed, found)
        self.assertGreaterEqual(len([f for f in found if f.startswith("accepted/")]), 40)
        self.assertGreaterEqual(len([f for f in found if f.startswith("rejected/")]), 150)
        for row in self.rows:
            self.assertIn(row["word"], CODES)
            self.assertTrue(row["reason"], row["file"])
            if row["file"].startswith("rejected/"):          # at most a proof of something else
                self.assertNotIn(row["word"], ("VALID", "VALID(VACUOUS)"), row["file"])

    def test_the_second_checker(self):
        wrong = []
        for row in self.rows:
            word, reason = second.run([row["file"]] + question(row))
            if word != row["word"]:
                wrong.append("%s: %s (%s), expected %s" % (row["file"], word, reason, row["word"]))
        self.assertEqual(wrong, [])

    def test_check(self):
        groups, wrong = collections.defaultdict(list), []
        for row in self.rows:
            groups[tuple(question(row))].append(row)
        for arguments, group in groups.items():
            result = harness.run("check", *[row["file"] for row in group], *arguments)
            told = re.findall(r"^([A-Z0-9_()]+) ([^\s:]+\.jsonl)", result.out, re.M)
            said = dict((name, word) for word, name in told)
            wrong += ["%s: %s, expected %s" % (row["file"], said.get(row["file"]), row["word"])
                      for row in group if said.get(row["file"]) != row["word"]]
            if len(group) == 1 and result.code != CODES[group[0]["word"]]:
                wrong.append("%s: exit code %d" % (group[0]["file"], result.code))
        self.assertEqual(wrong, [])

    def test_every_rule_of_the_index_has_its_examples_and_every_example_its_rule(self):
        rejected = [row["file"][len("rejected/"):-len(".jsonl")] for row in self.rows if row["file"].startswith("rejected/")]
        table = [line for line in harness.read("certificates", "examples", "README.md").split("\n") if re.match(r"\| \d", line)]
        self.assertGreater(len(table), 20)
        known = set()
        for line in table:
            patterns = re.findall(r"`([^`]+)`", line.split("|")[3])
            self.assertTrue(patterns, line)
            for pattern in patterns:
                self.assertTrue(fnmatch.filter(rejected, pattern), pattern)
                known.update(fnmatch.filter(rejected, pattern))
        self.assertEqual(known, set(rejected))

    def test_the_program(self):
        """The second checker from the command line: the word first, and the exit codes of `check`."""
        seen = set()
        for row in self.rows:
            if row["word"] in seen:
                continue
            seen.add(row["word"])
            done = harness.subprocess.run([sys.executable, os.path.join(HERE, "check.py"), row["file"]] + question(row),
                                          capture_output=True, cwd=EXAMPLES)
            self.assertEqual(done.stdout.decode().split(":")[0], row["word"])
            self.assertEqual(done.returncode, CODES[row["word"]], row["file"])
        self.assertEqual(seen, set(CODES))


if __name__ == "__main__":
    harness.main()
