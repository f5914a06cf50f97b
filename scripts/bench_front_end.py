#!/usr/bin/env python3
"""Measure the way from file to frozen automaton over a set of tasks.

    scripts/bench_front_end.py [--tasks FOLDER] [--only REGEX] [--slowest N]

Prints how many inputs were read, the median and the largest time (of the front end alone, and of the whole process with
its start-up), and the slowest ones. FOLDER holds a manifest.csv; the default is $SUMMA_TASKS.
Exit status: 0 when every input was read, 1 otherwise.
"""
import argparse
import csv
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIME = re.compile(r"^Front end time: ([0-9.]+) ms", re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path, default=Path(os.environ.get("SUMMA_TASKS", ROOT / "../shared/bench/public")))
    parser.add_argument("--only", default="", help="regular expression on the input's path")
    parser.add_argument("--summa", default=str(ROOT / "target/release/summa"))
    parser.add_argument("--slowest", type=int, default=5)
    options = parser.parse_args()
    if not (options.tasks / "manifest.csv").exists():
        print("no tasks: set SUMMA_TASKS or --tasks to a folder with a manifest.csv")
        return 2
    with open(options.tasks / "manifest.csv") as manifest:
        tasks = {(row["input"], row["data_model"]) for row in csv.DictReader(manifest) if re.search(options.only, row["input"])}
    rows, failed = [], []
    for name, model in sorted(tasks):
        command = [options.summa, "verify", "--stats", "--time-limit", "0", "--data-model", model, str(options.tasks / name)]
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        whole = (time.perf_counter() - started) * 1000
        match = TIME.search(done.stdout)
        if match is None or done.returncode not in (0, 5, 10):
            failed.append((name, done.returncode, (done.stderr.strip().splitlines() or [""])[0]))
        else:
            rows.append((float(match[1]), whole, (options.tasks / name).stat().st_size, name))
    for name, code, why in failed:
        print(f"FAILED (exit {code}) {name}: {why}")
    print(f"{len(rows)} of {len(rows) + len(failed)} inputs read")
    if rows:
        for what, column in (("front end", 0), ("whole process", 1)):
            times = [row[column] for row in rows]
            print(f"{what}: median {statistics.median(times):.1f} ms, largest {max(times):.1f} ms")
        for front, whole, size, name in sorted(rows, reverse=True)[: options.slowest]:
            print(f"  {front:8.1f} ms  {size / 1024:7.0f} KiB  {size / 1e3 / max(front, 0.001):6.1f} MB/s  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
