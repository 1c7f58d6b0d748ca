#!/usr/bin/env python3
"""Mistakes in the RTL, and the assertion that finds each: mutants.py DIRECTORY SOURCE...

Writes the sources into DIRECTORY with all mistakes in them, each behind `be_engine.mutant == N` (a port that only this
copy has; 0 is none), so that one simulation holds all of them, and the table mutants.inc for the test. Every assertion
of the RTL has a line here: one that cannot fail would say nothing.
"""

import pathlib
import sys

# Assertion, file, what is right, what is wrong.
MUTANTS = [
    ("se_round_is_whole", "be_receive", "count_after == {1'b0, plan.receives}", "count_after + 5'd1 >= {1'b0, plan.receives}"),
    ("se_completion_is_whole", "be_receive", "row_round == present.rounds", "row_round + 5'd1 >= present.rounds"),
    ("se_refuses_when_full", "be_receive", "early && !is_held && is_full ?", "1'b0 ?"),
    ("se_answers", "be_receive", "assign txp_valid = takes && !stray;", "takes && !stray && !duplicate"),
    ("se_takes_no_stray", "be_receive", "early = !stray && !duplicate && !(current && is_next);", "!duplicate && !(current && is_next)"),
    ("se_acknowledges_what_it_keeps", "be_receive", "assign insert = takes && early && !is_held && !is_full;",
     "takes && early && !is_held && !is_full && request.round != 5'd1"),
    ("se_removes_what_it_accepts", "be_receive", "assign accept = (remove && !ready_stray) || (takes && !stray && !duplicate && !early);",
     "takes && !stray && !duplicate && !early"),
    ("se_accepts_once", "be_source_match", "assign is_taken = (place & accepted) != 0;", "1'b0"),
    ("damq_no_overflow", "be_request_damq", "assign is_full = !has_vacant;", "1'b0"),
    ("damq_leaves_once", "be_receive", "assign remove = does_look && !all_over && !skips && ready_valid;", "does_look && !all_over && !skips"),
    ("te_waits_for_rounds", "be_transmit", "rounds_over[5*c+:5] >= round[5*c+:5]", "rounds_over[5*c+:5] + 5'd1 >= round[5*c+:5]"),
    ("te_counts_unacked", "be_transmit_context", "!send && counts && response_is_ack", "!send && counts"),
    ("te_resends_unacked", "be_transmit_context", "!pass_acked[i]", "1'b1"),
    ("te_refusal_is_remembered", "be_transmit_context", "else if (counts && !response_is_ack) armed <= 1'b1;", "tries == 0"),
    ("te_acks_what_was_sent", "be_transmit_context", "response_round < round || (response_round == round && response_index < index)", "1'b1"),
    ("cu_reports_what_is_done", "be_completion", "active & done & ~reported", "active & ~reported"),
    ("fifo_consistent", "be_fifo", "assign push = in_valid && in_ready;", "in_valid"),
    ("alu_one_result", "be_alu", "whole_valid <= valid && !add && !compare;", "valid"),
]


def mutate(right, wrong, number):
    """The replacement for `right`: its expression, or the wrong one if mutant `number` is selected."""
    head, tail, expression = "", "", right
    for mark in ("<= ", "= "):
        if right.endswith(";") and mark in right:
            head, expression = right.split(mark, 1)
            head, expression, tail = head + mark, expression[:-1], ";"
            break
    if right.endswith(" ?"):
        expression, wrong, tail = right[:-2], wrong[:-2], " ?"
    return f"{head}(be_engine.mutant == 8'd{number} ? ({wrong}) : ({expression})){tail}"


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    sources = {pathlib.Path(path).stem: pathlib.Path(path).read_text() for path in sys.argv[2:]}
    labels = [line.split(":")[0].strip() for text in sources.values() for line in text.splitlines()
              if line.rstrip().endswith(" :") and line.split(":")[0].strip().isidentifier()]
    untested = sorted(set(labels) - {mutant[0] for mutant in MUTANTS})
    if untested:
        sys.exit(f"mutants.py: no mutant for {', '.join(untested)}")
    for number, (label, module, right, wrong) in enumerate(MUTANTS, 1):
        if label not in labels:
            sys.exit(f"mutants.py: the RTL has no assertion {label}")
        if sources[module].count(right) != 1:
            sys.exit(f"mutants.py: {label}: \"{right}\" is not exactly once in {module}.sv")
        sources[module] = sources[module].replace(right, mutate(right, wrong, number))
    port = "    input  logic          reset,\n"
    assert port in sources["be_engine"]
    sources["be_engine"] = sources["be_engine"].replace(port, port + "    input  logic [   7:0] mutant,\n")
    for name, text in sources.items():
        (directory / f"{name}.sv").write_text(text)
    rows = "".join(f'    {{{number}, "{label}"}},\n' for number, (label, *_) in enumerate(MUTANTS, 1))
    (directory / "mutants.inc").write_text(rows)


main()
