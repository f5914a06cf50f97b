#!/usr/bin/env python3
"""Compare `summa run` with gcc on all tasks that take no input.

A task counts if its text calls no nondet function and the compiler can link it with a stub for the error function; then
its behaviour is fixed: how it ends and what it prints. Where the interpreter reports undefined behaviour, gcc's result
means nothing: such tasks are listed apart, for reading.

    scripts/exec_tasks.py [--tasks FOLDER] [--only REGEX] [--list]

FOLDER holds a manifest.csv (columns input, data_model, property, expected_verdict); the default is $SUMMA_TASKS.
Exit status: 0 without a mismatch, 1 with one.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ERROR, ASSUMPTION = 99, 98
STUB = f"""
void _exit(int);
void __VERIFIER_error(void) {{ _exit({ERROR}); }}
void __VERIFIER_assume(int condition) {{ if (!condition) _exit({ASSUMPTION}); }}
void *__attribute__((weak)) ldv_dummy;
"""
INPUT = re.compile(r"__VERIFIER_nondet|\bnondet_|\b__VERIFIER_atomic|\bpthread_create\b|\bscanf\b|\brand\b|\bgetchar\b")


def call(command, timeout):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout,
                              stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", "time-out"


def by_gcc(code):
    if code is None:
        return "runs on"
    return {ERROR: "error", ASSUMPTION: "assumption", -6: "abort"}.get(code, f"signal {-code}" if code < 0 else f"exit {code}")


def by_summa(code, output):
    """The outcome line in the words of `by_gcc`."""
    line = output.rpartition("Outcome: ")[2].strip()
    if code is None or line.startswith("stopped"):
        return "runs on"
    for start, meaning in (("error: assertion", "abort"), ("error", "error"), ("aborted", "abort"),
                           ("assumption", "assumption"), ("fault", "fault")):
        if line.startswith(start):
            return meaning
    if line.startswith("exited"):
        return "exit"
    number = re.match(r"returned (-?\d+)", line)
    return f"exit {int(number[1]) & 255}" if number else f"? {line or code}"


def compare(task, options, folder):
    source = options.tasks / task["input"]
    text = source.read_text(errors="replace")
    if INPUT.search(text):
        return "takes input", ""
    machine = ["-m32", "-msse2", "-mfpmath=sse"] if task["data_model"] == "ILP32" else ["-m64"]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        stub, binary = Path(scratch, "stub.c"), Path(scratch, "program")
        stub.write_text(STUB)
        code, _, errors = call(["gcc", "-w", "-O0", "-fwrapv", "-fno-builtin", "-fgnu89-inline", *machine, "-x", "c",
                                str(source), str(stub), "-o", str(binary), "-lm"], 60)
        if code != 0:
            return "not linked", errors.strip().splitlines()[-1:] or [""]
        gcc_code, gcc_output, _ = call([str(binary)], options.gcc_timeout)
    command = [options.summa, "run", "--wrap", "--data-model", task["data_model"], "--steps", str(options.steps), str(source)]
    code, output, errors = call(command, options.timeout)
    gcc, summa = by_gcc(gcc_code), by_summa(code, output)
    details = f"gcc: {gcc}; summa: {summa} {output.strip().splitlines()[-1:]} {errors.strip()[:200]}"
    if summa == "fault":
        return "undefined", details
    if "runs on" in (gcc, summa):
        return ("equal" if gcc == summa else "undecided"), details
    lines = output.rpartition("Outcome: ")[0].splitlines()
    printed = "\n".join(line for line in lines if not line.startswith(("Noticed: ", "Note: ")))
    is_same_end = gcc == summa or summa == "exit" and gcc.startswith("exit ")
    # What is printed before an error may be lost in the compiled program's buffers.
    if is_same_end and (printed.strip() == gcc_output.strip() or gcc in ("error", "abort", "assumption")):
        return "equal", ""
    return "MISMATCH", details


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path, default=Path(os.environ.get("SUMMA_TASKS", ROOT / "../shared/bench/public")))
    parser.add_argument("--only", default="", help="regular expression on the input's path")
    parser.add_argument("--summa", default=str(ROOT / "target/release/summa"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--gcc-timeout", type=float, default=5)
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--steps", type=int, default=2_000_000_000)
    parser.add_argument("--list", action="store_true", help="print every result, not only mismatches")
    options = parser.parse_args()
    if not (options.tasks / "manifest.csv").exists():
        print(f"no tasks: set SUMMA_TASKS or --tasks to a folder with a manifest.csv")
        return 2
    tasks = {}
    with open(options.tasks / "manifest.csv") as manifest:
        for row in csv.DictReader(manifest):
            if re.search(options.only, row["input"]):
                tasks.setdefault((row["input"], row["data_model"]), row)
    folder = ROOT / "target"
    folder.mkdir(exist_ok=True)
    count = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda task: compare(task, options, folder), tasks.values())
        for task, (verdict, details) in zip(tasks.values(), results):
            count[verdict] = count.get(verdict, 0) + 1
            if verdict in ("MISMATCH", "undefined", "undecided") or options.list:
                print(f"{verdict:11} {task['input']} [{task['property']} {task['expected_verdict']}] {details}", flush=True)
    print(", ".join(f"{number} {what}" for what, number in sorted(count.items())))
    return 1 if count.get("MISMATCH") else 0


if __name__ == "__main__":
    sys.exit(main())
