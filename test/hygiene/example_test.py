"""The files in examples/ are what the script next to them makes, byte for byte, and small."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness


class Example(harness.FolderTest):
    def test_script_makes_the_same_bytes(self):
        subprocess.run([sys.executable, os.path.join(harness.EXAMPLES, "make_model.py"), self.folder], check=True,
                       stdout=subprocess.DEVNULL)
        for name in ["strokes.onnx", "vertical.csv"]:
            with open(self.path(name), "rb") as made, open(os.path.join(harness.EXAMPLES, name), "rb") as kept:
                self.assertEqual(made.read(), kept.read(), name)
                self.assertLess(made.tell(), 10000, name)


if __name__ == "__main__":
    harness.main()
