//! Every kind of fault is found, at the edge that commits it, and nothing else is.

mod common;

use common::{ends, fault, run_with};
use summa_c::types::DataModel;
use summa_interp::{End, FaultKind, FaultSet, Policy, Zeros};

/// `main` with this body.
fn body(text: &str) -> String {
    format!("int zero = 0; int main(void) {{ {text} return 0; }}")
}

#[test]
fn arithmetic() {
    use FaultKind::*;
    for (code, kind) in [
        ("int x = 2147483647 - zero; x = x + 1;", SignedOverflow),
        ("int x = -2147483647 + zero; x = x - 2;", SignedOverflow),
        ("int x = 65536 + zero; x = x * x;", SignedOverflow),
        ("int x = -2147483647 - 1 + zero; x = -x;", SignedOverflow),
        ("int x = -2147483647 - 1 + zero; x = x / (zero - 1);", SignedOverflow),
        ("int x = -2147483647 - 1 + zero; x = x % (zero - 1);", SignedOverflow),
        ("int x = 1 + zero; x = x << 31;", ShiftOverflow),
        ("int x = zero - 1; x = x << 1;", NegativeShift),
        ("long long x = 9223372036854775807LL - zero; x++;", SignedOverflow),
        ("int x = 1 / zero;", DivisionByZero),
        ("unsigned x = 1u % (unsigned)zero;", DivisionByZero),
        ("int x = 1 << (zero + 32);", BadShift),
        ("unsigned x = 1u >> (zero - 1);", BadShift),
    ] {
        assert_eq!(fault(&body(code)), kind, "{code}");
    }
}

#[test]
fn memory() {
    use FaultKind::*;
    for (code, kind) in [
        ("int *p = 0; p += zero; *p = 1;", NullDereference),
        ("struct { int a, b; } *p = 0; int x = p->b;", NullDereference),
        ("int *p = (int *)(size_t)(zero + 65536 * 100); *p = 1;", InvalidDereference),
        ("int a[4] = { 0 }; int i = 4 + zero; a[i] = 1;", OutOfBounds),
        ("int a[4] = { 0 }; int i = zero - 1; a[i] = 1;", OutOfBounds),
        ("int b[100]; int a[4] = { 0 }; int i = zero + 5000; a[i] = b[0] = 1;", OutOfBounds),
        ("char *p = malloc(3); int *q = (int *)p; *q = 1;", OutOfBounds),
        ("int *p = malloc(4); free(p); *p = 1;", UseAfterFree),
        ("int *p; { int x = 1; p = &x; } *p = 2;", UseAfterScope),
        ("int *p = malloc(4); free(p); free(p);", DoubleFree),
        ("int x; free(&x);", InvalidFree),
        ("char *p = malloc(4); free(p + 1);", InvalidFree),
        ("char *p = \"abc\"; p[zero] = 'x';", WriteToConstant),
        ("int x; int y = x + zero;", UninitialisedRead),
        ("int a[3]; a[0] = 1; int y = a[1];", UninitialisedRead),
        ("int *p = malloc(8); p[0] = 1; int y = p[1];", UninitialisedRead),
        ("char a[8] = \"abcdefg\"; memcpy(a + 1, a, 4);", OverlappingCopy),
        ("char a[4]; strcpy(a, \"long\");", OutOfBounds),
        ("int (*f)(void) = main; if (!zero) f = 0; return f();", InvalidCall),
        ("malloc(1);", LostMemory),
        ("static int *p; p = malloc(4);", UnfreedMemory),
        ("int *p = malloc(4); exit(0);", UnfreedMemory),
        ("__builtin_unreachable();", Unreachable),
    ] {
        assert_eq!(fault(&body(code)), kind, "{code}");
    }
}

#[test]
fn a_pointer_to_a_dead_frame_dangles() {
    let source = "int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { return *f(); }";
    assert_eq!(fault(source), FaultKind::UseAfterScope);
}

#[test]
fn what_is_allowed_is_no_fault() {
    for code in [
        "int a[4] = { 1, 2, 3, 4 }; int s = 0; for (int *p = a; p != a + 4; p++) s += *p;",
        "int *p = malloc(0); free(p); free(0);",
        "int *p = calloc(2, 4); p = realloc(p, 16); p[3] = p[0]; free(p);",
        "unsigned x = 0; x--; x = x * x; x = 1u << 31;",
        "int x = (int)4000000000u; char c = (char)300;",
        "struct { char c; int i; } a, b; a.c = 1; a.i = 2; b = a; int y = b.i;",
        "int x; int *p = &x; *p = 1; int y = x;",
        "char a[8] = \"abcdefg\"; memmove(a + 1, a, 4);",
        "int x; if (zero) x = 1; else x = 2; int y = x;",
        "int i = 0; for (;;) { int x; if (i) break; x = i; i = x + 1; }",
    ] {
        let source = body(code);
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let outcome = run_with(model, &source, &mut Zeros, &Policy::strict());
            assert_eq!(outcome.end, End::Returned(0), "{code}");
            assert!(outcome.noted.is_empty(), "{code}: {:?}", outcome.noted);
        }
    }
}

#[test]
fn for_reachability_overflow_wraps_and_unwritten_values_stay() {
    let source = "int main(void) { int x = 2147483647; x++; if (x >= 0) reach_error();
        int a[2]; if (a[1] != a[1]) reach_error(); int u; int v = u; if (u != v) reach_error(); return 0; }";
    let outcome =
        run_with(DataModel::Ilp32, source, &mut summa_interp::Random::new(3), &Policy::reachability());
    assert_eq!(outcome.end, End::Returned(0));
    let kinds: Vec<FaultKind> = outcome.noted.iter().map(|fault| fault.kind).collect();
    assert_eq!(
        kinds,
        [FaultKind::SignedOverflow, FaultKind::UninitialisedRead, FaultKind::UninitialisedRead]
    );
    assert_eq!(outcome.inputs.len(), 2);
}

#[test]
fn only_the_chosen_faults_stop() {
    let source = body("int x = 2147483647 - zero; x++; x = x << 33;");
    let policy = Policy { stop: FaultSet::of(&[FaultKind::BadShift]), ..Policy::reachability() };
    let outcome = run_with(DataModel::Ilp32, &source, &mut Zeros, &policy);
    assert!(matches!(outcome.end, End::Fault(fault) if fault.kind == FaultKind::BadShift), "{outcome:?}");
    assert_eq!(outcome.noted.len(), 1);
}

#[test]
fn errors_assumptions_and_exits() {
    let source = "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 0);
        if (x == 7) reach_error(); if (x == 8) abort(); if (x == 9) exit(3); return x; }";
    assert!(matches!(ends(source, "7"), End::Error { .. }));
    assert_eq!(ends(source, "8"), End::Abort);
    assert_eq!(ends(source, "9"), End::Exit);
    assert_eq!(ends(source, "0"), End::AssumptionFailed);
    assert_eq!(ends(source, "5"), End::Returned(5));
    assert_eq!(ends(source, ""), End::OutOfInputs);
}
