#!/usr/bin/env python3
"""Compare `summa run` with gcc on random programs of csmith.

Each seed gives one program, generated with the switches of one row of MATRIX; the checksum that the compiled program
prints must come out of the interpreter too. Failing programs stay in target/csmith/.

    scripts/csmith.py                       300 programs from seed 1
    scripts/csmith.py --start 1000 --count 50 --jobs 2
    scripts/csmith.py --only float --keep   one row of the matrix, all sources kept

Exit status: 0 without a mismatch, 1 with one, 2 when a tool is missing.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
M32 = ["-m32", "-msse2", "-mfpmath=sse"]  # no x87 arithmetic, whose excess precision is not C's
M64 = ["-m64"]
# name, csmith's switches, gcc's machine
MATRIX = [
    ("scalars", ["--no-pointers", "--no-structs", "--no-unions", "--no-arrays"], M64),
    ("scalars32", ["--no-pointers", "--no-structs", "--no-unions", "--no-arrays"], M32),
    ("structs", ["--no-pointers", "--no-bitfields"], M64),
    ("bitfields", ["--no-pointers", "--bitfields"], M32),
    ("pointers", ["--no-bitfields", "--no-volatiles"], M64),
    ("pointers32", ["--no-bitfields"], M32),
    ("everything", [], M64),
    ("everything32", [], M32),
    ("float", ["--float"], M64),
    ("float32", ["--float"], M32),
    ("packed", ["--packed-struct", "--bitfields"], M64),
    ("packed32", ["--packed-struct", "--bitfields"], M32),
    ("unions", ["--unions", "--no-volatiles", "--max-struct-fields", "6"], M64),
    ("big", ["--max-funcs", "12", "--max-block-depth", "6"], M64),
    ("small-types", ["--int8", "--uint8", "--no-volatile-pointers"], M32),
]
HEADERS = ["/usr/include/csmith", "/usr/local/include/csmith", "/usr/include/csmith-2.3.0"]


def call(command, timeout, **options):
    """Returns (exit code or None on time-out, standard output, standard error)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, **options)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", "time-out"


def compare(seed, row, options, folder):
    """Returns (what happened, details)."""
    name, switches, machine = row
    source, binary = folder / f"{name}-{seed}.c", folder / f"{name}-{seed}.bin"
    code, _, errors = call(["csmith", "--seed", str(seed), "--output", str(source), *switches], 30, cwd=folder)
    if code != 0:
        return "skipped", f"csmith: {errors.strip()[:100]}"
    code, _, errors = call(
        ["gcc", "-w", "-O0", "-fwrapv", *machine, "-I", options.headers, str(source), "-o", str(binary)], 60)
    if code != 0:
        return "skipped", f"gcc: {errors.strip()[:200]}"
    code, expected, _ = call([str(binary)], options.gcc_timeout)
    binary.unlink()
    if code is None:
        return "skipped", "the compiled program does not end in time"
    model = "--32" if machine is M32 else "--64"
    command = [options.summa, "run", model, "-I", options.headers, str(source)]
    if options.wrap:
        command.insert(2, "--wrap")
    got_code, got, errors = call(command, options.timeout)
    output = got.rpartition("Outcome:")[0]
    if got_code is None:
        verdict = "slow"
    elif code == 0 and got_code == 0 and output.strip() == expected.strip():
        verdict = "equal"
    else:
        verdict = "MISMATCH"
    if verdict in ("equal", "slow") and not options.keep:
        source.unlink()
    details = "" if verdict == "equal" else (
        f"gcc: {expected.strip()[-80:]!r} (exit {code}); summa: {got.strip()[-200:]!r} (exit {got_code}) {errors.strip()[:300]}"
        f"\n    {' '.join(command)}")
    return verdict, details


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--start", type=int, default=1, help="the first seed")
    parser.add_argument("--only", default="", help="rows of the matrix whose name contains this")
    parser.add_argument("--summa", default=str(ROOT / "target/release/summa"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--gcc-timeout", type=float, default=2, help="seconds for the compiled program")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for summa")
    parser.add_argument("--wrap", action="store_true", help="let signed arithmetic wrap (csmith avoids overflow itself)")
    parser.add_argument("--keep", action="store_true", help="keep all sources")
    options = parser.parse_args()
    options.headers = next((folder for folder in HEADERS if Path(folder, "csmith.h").exists()), None)
    missing = [tool for tool in ("csmith", "gcc", options.summa) if shutil.which(tool) is None]
    if missing or options.headers is None:
        print(f"missing: {' '.join(missing) or 'csmith.h'} (run scripts/setup.sh, then cargo build --release)")
        return 2
    rows = [row for row in MATRIX if options.only in row[0]]
    folder = ROOT / "target/csmith"
    folder.mkdir(parents=True, exist_ok=True)
    count = {"equal": 0, "skipped": 0, "slow": 0, "MISMATCH": 0}
    with ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.start, options.start + options.count)
        jobs = [(seed, rows[seed % len(rows)]) for seed in seeds]
        for (seed, row), (verdict, details) in zip(jobs, pool.map(lambda j: compare(*j, options, folder), jobs)):
            count[verdict] += 1
            if verdict in ("slow", "MISMATCH"):
                print(f"{verdict:9} seed {seed} {row[0]}: {details}", flush=True)
    print(", ".join(f"{number} {what}" for what, number in count.items()))
    return 1 if count["MISMATCH"] else 0


if __name__ == "__main__":
    sys.exit(main())
