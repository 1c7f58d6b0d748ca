#!/usr/bin/env python3
"""Tests the helper of the benchmarks (bench/served.py) with reports: a page uses only calls that took place."""

import io
import json
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import served  # noqa: E402

LINES = [{"collective": "bcast", "choice": "native", "calls": 50}, {"collective": "bcast", "choice": "agent:inter=rdaas", "calls": 7},
         {"collective": "alltoall", "choice": "ordered@early", "calls": 3}, {"collective": "bcast", "choice": "native", "calls": 1}]


class Counts(unittest.TestCase):
    def test_of_one_collective_or_of_all(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.json"
            file.write_text(json.dumps({"calls": LINES}))
            self.assertEqual(served.in_report(file, "bcast"), {"native": 51, "agent:inter=rdaas": 7})
            self.assertEqual(served.in_report(file), {"native": 51, "agent:inter=rdaas": 7, "ordered@early": 3})

    def test_several_runs(self):
        self.assertEqual(served.added({"ring": 2}, {}, {"ring": 1, "native": 4}), {"ring": 3, "native": 4})

    def test_in_words(self):
        self.assertEqual(served.text({"native": 4}), "same code")
        self.assertEqual(served.text({"native": 4, "ring": 1, "chain:segment=16K": 5}), "6 of 10: chain:segment=16K and 1 more")
        self.assertEqual(served.text({}), "not known")


class Claims(unittest.TestCase):
    def refused(self, *words, **more):
        errors = io.StringIO()
        with self.assertRaises(SystemExit) as ended, redirect_stderr(errors):
            served.require(*words, **more)
        self.assertNotIn("\n", ended.exception.code)  # one line
        return ended.exception.code

    def test_what_holds(self):
        self.assertEqual(served.require({"ring:steps=4": 5}, served.by("ring"), "here", "by ring"), "5 of 5")
        self.assertEqual(served.require({"ring": 5, "ordered@early": 2}, served.early, "here", "early", least=1), "2 of 7")

    def test_a_native_call_among_those_of_an_algorithm(self):
        self.assertIn("fft3d, early: 5 of 6 calls returned early",
                      self.refused({"ordered@early": 5, "native": 1}, served.early, "fft3d, early", "returned early"))

    def test_no_call_of_the_kind(self):
        self.assertIn("0 of 6 calls", self.refused({"native": 6}, served.early, "is", "returned early", least=1))
        self.assertIn("no call at all", self.refused({}, served.by("ring"), "here", "by ring"))

    def test_names_are_whole_words(self):
        self.assertTrue(served.by("ring")("ring@thread"))
        self.assertTrue(served.by("ring:steps=4")("ring:steps=4"))
        self.assertTrue(served.by("ring@inline")("ring@inline"))
        self.assertFalse(served.by("ring")("ringaas"))
        self.assertFalse(served.by("native")("ring"))


if __name__ == "__main__":
    unittest.main()
