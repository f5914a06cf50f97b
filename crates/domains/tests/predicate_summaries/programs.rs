//! Small programs with calls, whose truth is known.

use super::SUM;

/// Programs and whether an error is reachable.
pub(crate) const PROGRAMS: &[(&str, &str, bool)] = &[
    ("sum", SUM, false),
    (
        "globals",
        "int g, h; void inc(void) { g = g + 1; } void twice(void) { inc(); inc(); }
         int main(void) { g = 3; h = 7; twice(); if (g != 5 || h != 7) reach_error(); }",
        false,
    ),
    (
        "one of two branches calls",
        "int g; int f(int x) { g = g + x; return g; }
         int main(void) { int c = __VERIFIER_nondet_int(), r = 0; g = 1;
           if (c) r = f(2); else g = 3; if (g != 3) reach_error(); if (c && r != 3) reach_error(); }",
        false,
    ),
    (
        "the wrong branch",
        "int g; int f(int x) { g = g + x; return g; }
         int main(void) { int c = __VERIFIER_nondet_int(); g = 1;
           if (c > 5) f(2); else g = f(1); if (g == 2) reach_error(); }",
        true,
    ),
    (
        "inputs in callees",
        "int pick(void) { int v = __VERIFIER_nondet_int(); return v; }
         int both(void) { int a = pick(); int b = __VERIFIER_nondet_int(); int c = pick(); \
         return a == 1 && b == 2 && c == 3; }
         int main(void) { if (__VERIFIER_nondet_int() == 7 && both() && pick() == 9) reach_error(); }",
        true,
    ),
    (
        "an error inside of recursion",
        "int down(int n, int k) { if (n == 0) { if (k == 3) reach_error(); return k; } \
         return down(n - 1, k + 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0; down(n, 0); }",
        true,
    ),
    (
        "no error inside of recursion",
        "int down(int n) { if (n < 0) reach_error(); if (n == 0) return 0; return down(n - 1) + 1; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0; down(n); }",
        false,
    ),
    (
        "even and odd",
        "int odd(int n); int even(int n) { if (n == 0) return 1; return odd(n - 1); }
         int odd(int n) { if (n == 0) return 0; return even(n - 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0;
           int r = even(n); if (r != 0 && r != 1) reach_error(); }",
        false,
    ),
    (
        "a loop in a callee",
        "int count(int n) { int i = 0; while (i < n) i++; return i; }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 100000) return 0;
           if (count(n) != n) reach_error(); }",
        false,
    ),
    (
        "a loop around a call",
        "int g; void step(void) { g = g + 2; }
         int main(void) { g = 0; int i = 0; while (i < 1000) { step(); i++; \
         if (g != 2 * i) reach_error(); } }",
        false,
    ),
    (
        "memory behind pointers",
        "void set(int *p, int v) { *p = v; }
         int main(void) { int x = 0, y = 0; set(&x, 4); set(&y, 5); if (x != 4 || y != 5) reach_error(); }",
        false,
    ),
    (
        "locals of a recursive function behind pointers",
        "void bump(int *p) { *p = *p + 1; }
         int rec(int n) { int x = n; bump(&x); if (n > 0) rec(n - 1); if (x != n + 1) reach_error(); \
         return x; }
         int main(void) { rec(2); }",
        false,
    ),
    (
        "mccarthy",
        "int f(int x) { if (x > 100) return x - 10; return f(f(x + 11)); }
         int main(void) { int x = __VERIFIER_nondet_int(); if (x > 101) return 0; \
         if (f(x) != 91) reach_error(); }",
        false,
    ),
];
