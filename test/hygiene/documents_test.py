"""The documents tell the truth: commands shown in README.md print what it says, every option named exists, and the
tables of certificates/FORMAT.md are those of the programs."""
import fnmatch
import os
import re
import shlex
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness

PROGRAMS = ["verify", "check", "model", "audit", "roundoff", "compute"]
DOCUMENTS = ["README.md", "CONTRIBUTING.md"] + sorted(
    folder + "/" + name for folder in ("certificates", "cli") for name in os.listdir(harness.source(folder))
    if name.endswith(".md"))


def blocks(text):
    """Contents of the fenced blocks of a document."""
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)


def code(text):
    """Everything set as code: lines of blocks, fenced or indented, and inline pieces."""
    for block in blocks(text):
        yield from (line[2:] if line.startswith("$ ") else line for line in block.split("\n"))
    text = re.sub(r"^```\w*\n(.*?)^```$", "", text, flags=re.M | re.S)
    for line in text.split("\n"):
        if line.startswith("    ") and "{" not in line:
            yield line.strip()
        else:
            yield from re.findall(r"`([^`]+)`", line)


def steady(output):
    """Output without the digits that may differ between processors: sizes of proofs and margins of points found."""
    return re.sub(r"\(\d+ bytes\)|(?<=margin: )\S+", "N", output).rstrip("\n")


def options(text):
    return re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]", text)


def helps():
    """The help text of every program, all subcommands included."""
    text = {p: harness.run(p, "--help").out for p in PROGRAMS}
    for p in PROGRAMS:
        for sub in re.findall(r"^  (\w+) ", (text[p].split("Subcommands:") + [""])[1], re.M):
            text[p] += harness.run(p, sub, "--help").out
    return text


class Documents(harness.FolderTest):
    maxDiff = None

    def test_readme_shows_what_the_programs_print(self):
        os.symlink(harness.EXAMPLES, self.path("examples"))
        shown = 0
        for block in blocks(harness.read("README.md")):
            for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, expected = piece.partition("\n")
                program, *arguments = shlex.split(command)
                done = harness.run(program, *arguments, cwd=self.folder)
                self.assertEqual(steady(done.out), steady(expected), command)
                self.assertIn(done.code, (0, 1), command)
                shown += 1
        self.assertGreaterEqual(shown, 4)

    def test_quickstart_runs_commands_of_the_readme(self):
        run = re.findall(r"(?m)^show ((?:verify|check|model) .*)$", harness.read("quickstart"))
        self.assertEqual([command.split()[0] for command in run], ["verify", "check"])
        for command in run:
            self.assertIn("$ " + command + "\n", harness.read("README.md"))

    def test_trust_names_every_file_of_the_checker(self):
        text = harness.read("certificates/TRUST.md")
        named = re.findall(r"`(checker/[\w./*]+)`", text)
        files = ["checker/%s/%s" % (folder, name) for folder in os.listdir(harness.source("checker"))
                 for name in os.listdir(harness.source("checker/" + folder))]
        stale = [n for n in named if not n.endswith("/") and not fnmatch.filter(files, n)]
        self.assertEqual(stale, [], "named, but not there")
        silent = [f for f in files if f.endswith(".cpp") and not any(fnmatch.fnmatch(f, n) for n in named)]
        self.assertEqual(silent, [], "nobody says what is trusted of them")
        self.assertGreater(len(files), 60)

    def test_options_exist(self):
        known = helps()
        seen, faults = 0, []
        for name in DOCUMENTS:
            for piece in code(harness.read(name)):
                words = piece.split()
                if not words or not (words[0] in PROGRAMS or words[0].startswith("--")):
                    continue
                for option in options(piece):
                    seen += 1
                    places = [words[0]] if words[0] in PROGRAMS else PROGRAMS
                    if not any(re.search(re.escape(option) + r"(?![\w-])", known[p]) for p in places):
                        faults.append("%s: %s in `%s`" % (name, option, piece))
        self.assertGreater(seen, 30)
        self.assertEqual(faults, [])

    def test_linked_files_exist(self):
        for name in DOCUMENTS:
            for target in re.findall(r"\w\]\(([\w./-]+)\)", harness.read(name)):
                path = os.path.join(os.path.dirname(name), target)
                self.assertTrue(os.path.exists(harness.source(path)), name + " links to " + target)

    def test_readme_is_short(self):
        self.assertLessEqual(harness.read("README.md").count("\n"), 150)

    def test_exit_codes_in_help(self):
        for program, words in ("verify", ["0 holds", "1 violated", "2 unknown", "3 usage", "4 input refused", "5 internal"]), (
                "check", ["0 VALID", "1 INVALID", "2 INCOMPLETE", "3 usage", "4 malformed", "5 resource"]):
            text = " ".join(harness.run(program, "--help").out.split())
            for word in words:
                self.assertIn(word, text, program)


class Format(unittest.TestCase):
    def kinds_of_the_page(self):
        rows = re.findall(r"^\| (\d+) \| (\w+) \|", harness.read("certificates", "FORMAT.md"), re.M)
        return {("constant" if name == "const" else name): int(number) for number, name in rows}

    def test_kinds_are_the_same_everywhere(self):
        page = self.kinds_of_the_page()
        self.assertEqual(len(page), 17)
        for header in "runtime/graph/graph.hpp", "checker/kernel/graph.hpp":
            body = re.search(r"enum class Kind[^{]*\{(.*?)\};", harness.read(header), re.S).group(1)
            kinds = {n: int(v) for n, v in re.findall(r"(\w+) = (\d+)", body)}
            beyond = {n for n, v in kinds.items() if v >= len(page)}  # kinds that no certificate is about
            for name in beyond:
                self.assertRegex(harness.read("certificates", "FORMAT.md"), r"numbers .*\b%d \(%s\b" % (kinds.pop(name), name))
            self.assertEqual(kinds, page, header)
            self.assertTrue(header.startswith("runtime") or not beyond)

    def test_operators_are_known_everywhere(self):
        """Every operator `model ops` lists is described in FORMAT.md, read by the checker and named in a test; one without
        certificates is named in a test alone."""
        text = harness.run("model", "ops").out
        listed = set(re.findall(r"(?m)^([A-Z]\w+) +\d+-\d+", text))
        uncertified = set(re.findall(r"(?m)^([A-Z]\w+) +\d+-\d+ .*  no certificate$", text))
        self.assertGreater(len(uncertified), 20)
        self.assertGreater(len(listed), 40)
        page = harness.read("certificates", "FORMAT.md").split("## 2.")[1].split("## 3.")[0]
        readers = self.text_below("checker/readers", ".cpp")
        tests = self.text_below("test", ".cpp")
        for name in sorted(listed):
            if name not in uncertified:
                self.assertRegex(page, r"\b%s\b" % name)
                self.assertIn('"%s"' % name, readers)
            self.assertRegex(tests, r"\b%s\b" % name)

    def text_below(self, folder, ending):
        text = ""
        for place, _, names in os.walk(harness.source(folder)):
            for name in sorted(names):
                if name.endswith(ending):
                    with open(os.path.join(place, name), encoding="utf-8") as file:
                        text += file.read()
        return text


if __name__ == "__main__":
    harness.main()
