#!/usr/bin/env python3
"""Tests the table of ./demo for two rows of times, and for a report."""

import importlib.util
import unittest
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "scripts/demo/run.py"
SPEC = importlib.util.spec_from_file_location("demo_run", PATH)
RUN = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(RUN)


class Comparison(unittest.TestCase):
    def test_no_ratio_without_a_served_call(self):
        self.assertEqual(RUN.comparison([1.0, 1.1], [2.0, 2.1], served=0), "same code")

    def test_no_ratio_where_the_ranges_overlap(self):
        self.assertEqual(RUN.comparison([1.0, 1.3, 2.0], [2.0, 2.5, 2.6], served=3), "no difference")
        self.assertEqual(RUN.comparison([2.0, 2.5], [1.0, 2.0], served=3), "no difference")
        self.assertEqual(RUN.comparison([1.0, 9.0], [2.0, 3.0], served=3), "no difference")

    def test_a_ratio_of_medians_where_they_do_not(self):
        self.assertEqual(RUN.comparison([2.0, 4.0, 5.0], [1.0, 1.0, 1.9], served=1), "0.25")
        self.assertEqual(RUN.comparison([1.0, 1.0, 1.9], [2.0, 4.0, 5.0], served=1), "4.00")


class Served(unittest.TestCase):
    def test_what_goes_native_is_not_served(self):
        lines = [{"choice": "native", "calls": 50}, {"choice": "chain:segment=16K", "calls": 7},
                 {"choice": "ring", "calls": 3}]
        self.assertEqual(RUN.served_calls({"calls": lines}), (10, 60))
        self.assertEqual(RUN.served_calls({"calls": []}), (0, 0))


if __name__ == "__main__":
    unittest.main()
