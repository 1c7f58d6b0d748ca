#!/usr/bin/env python3
"""Tests the text of the README's table about rules."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
import readme_tables  # noqa: E402

WIDE = {"collective": "bcast", "ranks_per_node": [2, None]}


class Cells(unittest.TestCase):
    def test_ranges_that_follow_each_other_are_one(self):
        rules = [{**WIDE, "bytes": ["512K", None]}, {**WIDE, "bytes": ["32K", "511K"]}]
        self.assertEqual(readme_tables.cell(rules), "32 KiB")

    def test_gaps_and_limits_are_told(self):
        rules = [{**WIDE, "bytes": ["64K", None]}, {**WIDE, "bytes": ["8K", "16K"]}]
        self.assertEqual(readme_tables.cell(rules), "8 to 16 KiB, 64 KiB")
        rules = [{**WIDE, "mpi": "mpich", "ranks": [2, 8], "bytes": ["2M", None]}]
        self.assertEqual(readme_tables.cell(rules), "2 MiB (MPICH, up to 8 ranks)")
        self.assertEqual(readme_tables.cell([]), "–")

    def test_for_which_calls_a_rule_holds(self):
        self.assertTrue(readme_tables.holds(WIDE, 2, "blocking"))
        self.assertFalse(readme_tables.holds(WIDE, 1, "blocking"))
        self.assertFalse(readme_tables.holds({**WIDE, "calls": "nonblocking"}, 2, "blocking"))


if __name__ == "__main__":
    unittest.main()
