"""What the Python tests share: finding programs and files, running programs, and a summary line test/run can count.

Assumes: the environment names the folder of the programs (OUTWARD_BIN_DIR) and the build folder (OUTWARD_BUILD_DIR);
CMake sets both. Standard library only.
"""
import collections
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("OUTWARD_BIN_DIR", os.path.join(SOURCE, "build", "release", "bin"))
BUILD = os.environ.get("OUTWARD_BUILD_DIR", os.path.dirname(BIN))
EXAMPLES = os.path.join(SOURCE, "examples")

Result = collections.namedtuple("Result", "code out err")


def source(*parts):
    return os.path.join(SOURCE, *parts)


def read(*parts):
    with open(source(*parts), encoding="utf-8") as file:
        return file.read()


def run(program, *arguments, cwd=None, env=None, timeout=120):
    """Runs one of our programs; text in, text out, exit status as the shell sees it."""
    done = subprocess.run([os.path.join(BIN, program)] + [str(a) for a in arguments], cwd=cwd, timeout=timeout,
                          stdin=subprocess.DEVNULL, capture_output=True, env=dict(os.environ, **(env or {})))
    return Result(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


class FolderTest(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="outward-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)


def main():
    """Runs the tests of the calling script and prints, last, the line test/run adds up."""
    result = unittest.main(exit=False, verbosity=1).result
    for test, reason in result.skipped:
        print("SKIPPED: %s: %s" % (test.id(), reason))
    failed = len(result.failures) + len(result.errors)
    print("test cases: %d | %d passed | %d failed | %d skipped"
          % (result.testsRun, result.testsRun - failed - len(result.skipped), failed, len(result.skipped)))
    sys.exit(1 if failed or result.testsRun == 0 else 0)
