#!/usr/bin/env python3
"""Do the harnesses of `summa harness` reach the error under gcc?

Takes the tasks that are expected to violate their property, asks `summa harness` for each, runs the command that it prints,
and counts where the error is reached. With --witness also: does `summa validate` accept the witnesses of the same verdict?
With --proofs the tasks are those that have their property: are the witnesses of their proofs accepted?

    scripts/harnesses.py [--tasks FOLDER] [--only REGEX] [--sample N] [--time-limit SECONDS] [--validation-limit SECONDS]
                         [--witness | --proofs]

FOLDER holds a manifest.csv (columns input, data_model, property, expected_verdict, category); the default is $SUMMA_TASKS.
Exit status: 0 if at least 95 % of the harnesses reach the error, and all witnesses are accepted; 1 otherwise.
"""
import argparse
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MESSAGE, CODE = "summa: error reached", 107


def call(command, timeout, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout,
                              stdin=subprocess.DEVNULL, **options)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", "time-out"


def summa(options, command, limit, arguments):
    """A command of Summa; it should end by itself, but is not waited for without end."""
    return call([options.summa, command, "--time-limit", str(limit), *arguments], limit * 3 + 20)


def property_of(task, folder):
    """The property file of the set if there is one, else the name."""
    file = folder / "properties" / (task["property"] + ".prp")
    return str(file) if file.exists() else task["property"]


def verdict(output):
    return output.rstrip().rpartition("\n")[2]


def proof(task, options):
    """What came of the witness of a proof; there is no harness for one."""
    with tempfile.TemporaryDirectory() as scratch:
        yaml = str(Path(scratch, "w.yml"))
        program = str((options.tasks / task["input"]).resolve())
        about = ["--property", property_of(task, options.tasks), "--data-model", task["data_model"], program]
        _, output, _ = summa(options, "verify", options.time_limit, ["--witness", yaml, *about])
        if verdict(output) != "Verdict: TRUE":
            return None, None
        _, output, errors = summa(options, "validate", options.validation_limit, ["--witness", yaml, *about])
        last = verdict(output)
        return None, ("valid" if last == "Verdict: TRUE" else "refused", last + errors.strip()[-150:])


def attempt(task, options):
    """What came of a task: (harness, witnesses), each a word and a line of explanation."""
    if options.proofs:
        return proof(task, options)
    with tempfile.TemporaryDirectory() as scratch:
        harness, yaml, graphml = (Path(scratch, name) for name in ("harness.c", "w.yml", "w.graphml"))
        program = str((options.tasks / task["input"]).resolve())
        about = ["--property", property_of(task, options.tasks), "--data-model", task["data_model"], program]
        files = ["--witness", str(yaml)] if options.witness else []
        code, output, errors = summa(options, "harness", options.time_limit, ["-o", str(harness), *files, *about])
        if not verdict(output).startswith("Verdict: FALSE"):
            return None, None
        command = re.search(r"^Harness: .*\n +(.*)$", output, re.M)
        if not command:
            result = "none", (errors.strip().splitlines() or [""])[0]
        else:
            code, _, errors = call(command[1], 60, shell=True, cwd=scratch)
            reached = code == CODE and MESSAGE in errors
            result = ("reached", "") if reached else ("missed", f"exit {code} {errors.strip()[-150:]!r}")
        witness = None
        if options.witness:
            arguments = ["--witness", str(yaml), *about]
            code, output, errors = summa(options, "validate", options.validation_limit, arguments)
            last = verdict(output)
            witness = ("valid" if last.startswith("Verdict: FALSE") else "refused"), last + errors.strip()[-150:]
        return result, witness


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=Path, default=os.environ.get("SUMMA_TASKS"))
    parser.add_argument("--only", default="", help="regular expression for categories and files")
    parser.add_argument("--sample", type=int, default=0, help="only so many tasks, chosen at random but always the same")
    parser.add_argument("--time-limit", type=float, default=5)
    parser.add_argument("--validation-limit", type=float, help="for `summa validate`; the same if it is not given")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--witness", action="store_true")
    parser.add_argument("--proofs", action="store_true")
    parser.add_argument("--summa", default=str(ROOT / "target/release/summa"))
    options = parser.parse_args()
    options.validation_limit = options.validation_limit or options.time_limit
    if not options.tasks:
        parser.error("no task set: give --tasks or set SUMMA_TASKS")
    with open(options.tasks / "manifest.csv") as manifest:
        tasks = [task for task in csv.DictReader(manifest) if task["expected_verdict"] == ("true" if options.proofs else "false")
                 and re.search(options.only, task["category"] + " " + task["input"])]
    if options.sample:
        tasks = random.Random(1).sample(tasks, min(options.sample, len(tasks)))
    counts = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for task, results in zip(tasks, pool.map(lambda task: attempt(task, options), tasks)):
            for kind, result in zip(("harness", "witness"), results):
                if result is None:
                    continue
                word, why = result
                counts[kind, word] = counts.get((kind, word), 0) + 1
                if word not in ("reached", "valid"):
                    print(f"{kind} {word}: {task['input']} ({task['property']}): {why}", flush=True)
    reached, valid = counts.get(("harness", "reached"), 0), counts.get(("witness", "valid"), 0)
    if options.proofs:
        verdicts = sum(counts.values())
        print(f"{len(tasks)} tasks, {verdicts} verdicts TRUE, {valid} witnesses are valid")
        return 0 if valid == verdicts else 1
    verdicts = sum(number for (kind, _), number in counts.items() if kind == "harness")
    print(f"{len(tasks)} tasks, {verdicts} verdicts FALSE, {reached} harnesses reach the error", end="")
    print(f" ({100 * reached / verdicts:.1f} %)" if verdicts else "")
    if options.witness:
        print(f"{valid} of {verdicts} witnesses are valid")
    good = reached >= 0.95 * verdicts and (not options.witness or valid == verdicts)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
