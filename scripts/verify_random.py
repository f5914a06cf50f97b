#!/usr/bin/env python3
"""Throw random programs at `summa verify` and compare its verdicts with gcc.

Two kinds of programs:
  csmith    The compiled program prints a checksum. Into the source goes a call of reach_error where the checksum is that one (the
            verdict must not be TRUE), or where it is another (must not be FALSE); in every third program behind an input.
  mutants   C files with operators and numbers exchanged, and some with any tokens changed, lines lost or the end cut off. Whatever
            they mean, no run may crash or hang; what is FALSE must reach the error when gcc compiles it with the harness, unless it relies
            on memory that nobody has written; and what is TRUE must not reach it in executions with random inputs.

    scripts/verify_random.py --csmith 1500 --mutants 1500 --tasks ../shared/bench/public
    scripts/verify_random.py --csmith 20 --mutants 20          a short try, with the project's own programs

Failing programs stay in target/verify-random/. Exit status: 0 if all is well, 1 otherwise, 2 when a tool is missing.
"""
import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from csmith import HEADERS, M32, MATRIX, ROOT, call

EXITS = {0, 2, 5, 6, 10}  # TRUE, usage, UNKNOWN, input that cannot be read, FALSE
REACHED = 107
TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%<>=!&|^~?:;,(){}\[\]]")
OPERATORS = [["<", "<=", ">", ">=", "==", "!="], ["+", "-", "*"], ["&&", "||"], ["++", "--"], ["<<", ">>"], ["&", "|", "^"]]
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "+", "&&": "||",
         "||": "&&", "++": "--", "--": "++", "0": "1", "1": "0", "{": "", "}": "", ";": "", "(": "", ")": ""}


def verify(options, source, model, extra=()):
    """Returns (verdict or what went wrong, seconds)."""
    start = time.monotonic()
    command = [options.summa, "verify", "--time-limit", str(options.time_limit), "--property", "unreach-call", model]
    code, out, errors = call([*command, *extra, str(source)], 4 * options.time_limit + 20)
    taken = time.monotonic() - start
    if code is None:
        return "HANG", taken
    if code not in EXITS or "panicked" in errors or "internal error" in errors:
        return f"CRASH (exit {code}) {errors.strip()[-300:]}", taken
    lines = [line for line in out.splitlines() if line.startswith("Verdict: ")]
    return (lines[-1].removeprefix("Verdict: ") if lines else "UNKNOWN(not read)"), taken


def csmith_program(seed, options, folder):
    name, switches, machine = MATRIX[seed % len(MATRIX)]
    source, binary = folder / f"csmith-{name}-{seed}.c", folder / f"csmith-{seed}.bin"
    if call(["csmith", "--seed", str(seed), "--output", str(source), *switches], 30, cwd=folder)[0] != 0:
        return "skipped", source, ""
    build = ["gcc", "-w", "-O0", "-fwrapv", *machine, "-I", options.headers, str(source), "-o", str(binary)]
    if call(build, 60)[0] != 0:
        return "skipped", source, ""
    code, printed, _ = call([str(binary)], 10)
    binary.unlink()
    found = re.search(r"checksum = ([0-9A-F]+)", printed)
    if code != 0 or not found:
        return "skipped", source, ""
    is_reached = seed % 2 == 0
    condition = f"(crc32_context ^ 0xFFFFFFFFUL) {'==' if is_reached else '!='} 0x{found[1]}UL"
    if seed % 3 == 0:
        condition = f"__VERIFIER_nondet_uint() == 7 && {condition}"
    text = source.read_text()
    end = "platform_main_end(crc32_context"
    if end not in text:
        return "skipped", source, ""
    text = text.replace(end, f"if ({condition}) reach_error();\n    {end}")
    head = "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);\n"
    source.write_text(head + text)
    model = "--32" if machine is M32 else "--64"
    verdict, _ = verify(options, source, model, ["-I", options.headers])
    wrong = verdict.startswith("TRUE") if is_reached else verdict.startswith("FALSE")
    return judge(verdict, wrong), source, f"{verdict}, but gcc says {'FALSE' if is_reached else 'TRUE'}"


def other_meaning(text, chance):
    """One to three operators or numbers exchanged for others of their kind."""
    tokens = [token for token in TOKEN.finditer(text)
              if token[0].isdigit() or any(token[0] in kind for kind in OPERATORS)]
    for token in sorted(chance.sample(tokens, min(len(tokens), chance.randint(1, 3))), key=lambda t: -t.start()):
        kind = next((kind for kind in OPERATORS if token[0] in kind), None)
        near = [str(max(0, int(token[0]) + step)) for step in (-1, 1, 2)] if kind is None else kind
        text = text[: token.start()] + chance.choice(near) + text[token.end():]
    return text


def mutate(text, chance):
    if chance.random() < 0.75:
        return other_meaning(text, chance)
    kind = chance.randrange(4)
    if kind == 0:
        return text[: chance.randrange(len(text) + 1)]
    if kind == 1:
        lines = text.splitlines(keepends=True)
        for _ in range(chance.randint(1, 3)):
            if lines:
                del lines[chance.randrange(len(lines))]
        return "".join(lines)
    tokens = list(TOKEN.finditer(text))
    for token in sorted(chance.sample(tokens, min(len(tokens), chance.randint(1, 4))), key=lambda t: -t.start()):
        new = SWAPS.get(token[0]) if kind == 2 else None
        if new is None:
            new = chance.choice(tokens)[0]
        text = text[: token.start()] + new + text[token.end():]
    return text


def mutant(number, options, originals, folder):
    chance = random.Random(options.seed * 1_000_003 + number)
    original = chance.choice(originals)
    source = folder / f"mutant-{number}{original.suffix}"
    source.write_text(mutate(original.read_text(errors="replace"), chance))
    model = chance.choice(["--32", "--64"])
    verdict, taken = verify(options, source, model)
    if taken > 2 * options.time_limit + 3:
        return "SLOW", source, f"{taken:.1f} s"
    if verdict.startswith("TRUE"):
        return at_random(source, model, folder / f"random-{number}", chance), source, verdict
    if not verdict.startswith("FALSE"):
        return judge(verdict, False), source, verdict
    return with_gcc(options, source, model, folder / f"harness-{number}.c"), source, verdict


RANDOM_INPUTS = """
extern void exit(int);
static unsigned long long state = SEED;
static unsigned long long next(void) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  unsigned long long bits = state >> 20;
  switch (state >> 61) { case 0: case 1: case 2: return bits % 4; case 3: case 4: return bits % 40; default: return bits; }
}
#define INPUT(type, name) type __VERIFIER_nondet_##name(void) { return (type)next(); }
INPUT(int, int) INPUT(unsigned, uint) INPUT(unsigned, unsigned) INPUT(long, long) INPUT(unsigned long, ulong)
INPUT(char, char) INPUT(unsigned char, uchar) INPUT(short, short) INPUT(unsigned short, ushort) INPUT(_Bool, bool)
INPUT(long long, longlong) INPUT(unsigned long long, ulonglong) INPUT(float, float) INPUT(double, double)
extern long write(int, const void *, unsigned long);
void reach_error(void) { write(2, "summa: error reached\\n", 21); exit(107); }
void __VERIFIER_error(void) { reach_error(); }
void __VERIFIER_assume(int c) { if (!c) exit(0); }
"""


def is_reached(code, _, errors):
    """Any program may end with this code: only the message tells."""
    return code == REACHED and "summa: error reached" in errors


def at_random(source, model, binary, chance):
    """Is the error not reached with random inputs? Our functions come before the program's own."""
    inputs = binary.with_suffix(".c")
    object_file = binary.with_suffix(".o")
    width = "-m32" if model == "--32" else "-m64"
    kind = ["-x", "c"] if source.suffix == ".i" else []
    # Behind an invalid access anything may happen: there the execution ends.
    checks = ["-fsanitize=bounds,null,object-size", "-fsanitize-undefined-trap-on-error"]
    options = ["-w", "-O0", "-fwrapv", "-fgnu89-inline", *checks, width]
    if call(["gcc", *options, "-c", *kind, str(source), "-o", str(object_file)], 60)[0] != 0:
        return "TRUE, gcc does not compile it"
    result = "TRUE, not reached with gcc"
    for _ in range(5):
        inputs.write_text(RANDOM_INPUTS.replace("SEED", f"{chance.getrandbits(63)}ULL"))
        link = ["gcc", "-w", width, str(inputs), str(object_file), "-Wl,-z,muldefs", "-lm", "-o", str(binary)]
        if call(link, 60)[0] != 0:
            result = "TRUE, gcc does not link it"
            break
        if is_reached(*call(["sh", "-c", f"ulimit -t 1; exec {binary}"], 5)):
            result = "WRONG"
            break
    for file in (inputs, object_file, binary):
        file.unlink(missing_ok=True)
    return result


def with_gcc(options, source, model, harness):
    """Does the error happen when gcc compiles the program with its harness?"""
    limit = str(2 * options.time_limit)
    code, out, _ = call([options.summa, "harness", "-o", str(harness), model, "--property", "unreach-call",
                         "--time-limit", limit, str(source)], 60)
    command = next((line.strip() for line in out.splitlines() if line.strip().startswith("gcc ")), None)
    if "uninitialised" in out:
        return "FALSE, by memory that nobody has written"
    if command is None:
        return "FALSE, no harness"
    code, output, errors = call(["sh", "-c", command], 60, cwd=harness.parent)
    if is_reached(code, output, errors):
        return "FALSE, reached with gcc"
    return "FALSE, gcc does not compile it" if "error:" in errors else "FALSE, not reached with gcc"


def judge(verdict, wrong):
    if verdict.startswith(("HANG", "CRASH")):
        return verdict.split(" ")[0]
    return "WRONG" if wrong else verdict.split("(")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summa", default=str(ROOT / "target/release/summa"))
    parser.add_argument("--csmith", type=int, default=20)
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--tasks", help="a folder with C files to be mutated besides the project's own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time-limit", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.headers = next((folder for folder in HEADERS if Path(folder, "csmith.h").exists()), None)
    if not shutil.which("gcc") or (options.csmith and not (shutil.which("csmith") and options.headers)):
        sys.exit("gcc or csmith is missing")
    folders = [ROOT / "tests", ROOT / "examples"] + ([Path(options.tasks)] if options.tasks else [])
    originals = sorted(path for folder in folders for path in folder.rglob("*.[ci]") if path.stat().st_size < 60_000)
    kept = ROOT / "target/verify-random"
    tally, bad = Counter(), 0
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        folder = Path(name)
        first = options.seed * 100_000
        jobs = [pool.submit(csmith_program, first + i, options, folder) for i in range(options.csmith)]
        jobs += [pool.submit(mutant, i, options, originals, folder) for i in range(options.mutants)]
        for number, job in enumerate(jobs):
            result, source, details = job.result()
            tally[f"{'csmith' if number < options.csmith else 'mutants'}: {result}"] += 1
            if result in ("WRONG", "HANG", "CRASH", "SLOW", "FALSE, not reached with gcc"):
                bad += result != "FALSE, not reached with gcc"
                kept.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, kept)
                print(f"{result}: {source.name}: {details}", flush=True)
            source.unlink(missing_ok=True)
            if number % 100 == 99:
                print(f"{number + 1} programs: {dict(sorted(tally.items()))}", flush=True)
    for result, count in sorted(tally.items()):
        print(f"{count:6} {result}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
