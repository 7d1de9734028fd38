"""litmus: the test suite for WebDAV servers."""

from __future__ import annotations

import re

from .support import CloudCase, program

SUMMARY = re.compile(r"<- summary for `(\w+)': of (\d+) tests run: (\d+) passed, (\d+) failed")


class LitmusTests(CloudCase):
    def test_all_suites_pass(self) -> None:
        output = self.run_client(program(self, "litmus"), "-k", self.cloud.address(""), "alice", "secret")
        results = {name: (int(run), int(failed)) for name, run, _, failed in SUMMARY.findall(output)}
        self.assertEqual(set(results), {"basic", "copymove", "props", "locks", "http"}, output)
        self.assertEqual({name: failed for name, (_, failed) in results.items() if failed}, {}, output)
        self.assertGreaterEqual(sum(run for run, _ in results.values()), 60, output)

    def test_locks_are_not_claimed(self) -> None:
        output = self.run_client(
            program(self, "litmus"), self.cloud.address(""), "alice", "secret", environment={"TESTS": "locks"}
        )
        self.assertIn("does not claim Class 2", output)
