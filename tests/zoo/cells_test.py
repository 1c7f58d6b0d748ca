#!/usr/bin/env python3
"""Tests how bench/zoo.py judges a cell: by medians of runs, by what served the calls, and by the ranges."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from zoo_cells import Cell  # noqa: E402


def cell(native, tutti, served):
    made = Cell("bcast", 8)
    for us in native:
        made.add(True, [us], [us], {})
    for us in tutti:
        made.add(False, [us], [us], served)
    return made


class Judgement(unittest.TestCase):
    def test_a_ratio_within_the_limit_holds_whoever_served(self):
        self.assertTrue(cell([10, 10, 10], [11, 11, 11], {"chain": 3}).holds())

    def test_a_slower_algorithm_fails_though_ranges_overlap(self):
        self.assertFalse(cell([10, 10, 20], [12, 12, 12], {"chain": 3}).holds())

    def test_one_call_that_the_mpi_did_not_serve_is_not_the_same_code(self):
        self.assertFalse(cell([10, 10, 20], [12, 12, 12], {"native": 2, "chain": 1}).holds())

    def test_the_same_code_holds_where_ranges_overlap_only(self):
        self.assertTrue(cell([10, 10, 20], [12, 12, 12], {"native": 3}).holds())
        self.assertFalse(cell([10, 10, 10], [12, 12, 12], {"native": 3}).holds())

    def test_calls_that_no_report_tells_of_are_not_the_same_code(self):
        self.assertFalse(cell([10, 10, 20], [12, 12, 12], {}).holds())

    def test_a_run_counts_by_its_median_and_runs_by_theirs(self):
        made = Cell("bcast", 8)
        made.add(True, [1, 10, 1000], [5], {})
        made.add(False, [1, 10, 1000], [10], {"native": 3})
        self.assertEqual((made.ratio(), made.cpu_ratio()), (1, 2))

    def test_a_side_that_was_not_measured_does_not_hold(self):
        self.assertFalse(cell([10], [], {}).holds())

    def test_programs_have_one_result(self):
        made = Cell("asp", None)
        self.assertTrue(made.has_result("a"))
        self.assertTrue(made.has_result("a"))
        self.assertFalse(made.has_result("b"))


if __name__ == "__main__":
    unittest.main()
