//! The checker confirms proofs written by hand, and refuses the same proofs when something in them was
//! changed.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use serde_json::Value as Json;
use summa_base::Budget;
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_encode::{Encoder, Encoding, Interface, Known, Range, State};
use summa_facts::Analyses;
use summa_facts::blocks::Partition;
use summa_proof::{Confirmed, Draft, Method, Obligation, Place, Point, Procedure, Proof, Refusal, check};
use summa_term::{Term, Terms};
use summa_testkit::automata;

const HEAD: &str =
    "extern void abort(void); void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

fn bounded() -> Cfa {
    automata(&format!(
        "{HEAD} int main(void) {{ int i = 0; while (__VERIFIER_nondet_int()) {{ if (i < 10) i++; \
         if (i > 10) reach_error(); }} return 0; }}"
    ))
}

fn checked(cfa: &Cfa, proof: &Proof) -> Result<Confirmed, Refusal> {
    let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
    check(cfa, &Analyses::new(cfa), &is_error, proof, &Budget::unlimited())
}

fn step(refusal: Result<Confirmed, Refusal>) -> Option<Obligation> {
    match refusal.unwrap_err() {
        Refusal::Wrong { step, .. } => Some(step),
        _ => None,
    }
}

/// The only loop head of `main`, after the call of `main`.
fn loop_head(cfa: &Cfa) -> Place {
    let loops = Analyses::new(cfa).loops;
    let node: NodeId = cfa.nodes.ids().find(|&node| loops.is_head(node)).unwrap();
    Place { calls: vec![call_of(cfa, cfa.main)], node }
}

fn call_of(cfa: &Cfa, function: FuncId) -> EdgeId {
    let is_it = |&(_, edge): &(EdgeId, &summa_cfa::Edge)| match edge.op {
        Op::Call { callee, .. } => callee == function,
        _ => false,
    };
    cfa.edges.iter().find(is_it).unwrap().0
}

/// The formula lower ≤ variable ≤ upper.
fn within(encoder: &mut Encoder<'_>, name: &str, lower: i128, upper: i128) -> Term {
    let program = &encoder.cfa.program;
    let var = program.vars.ids().find(|&var| program.var_name(var) == name).unwrap();
    let ty = program.vars[var].ty;
    let state = State::symbolic(&encoder.cells, &mut encoder.terms, 0);
    let range = Range { lower, upper, modulus: 1, residue: 0 };
    encoder.known(&state, (var, 0, ty), Known::In(range)).unwrap()
}

/// The point says lower ≤ i ≤ upper at the loop head.
fn floyd(cfa: &Cfa, bounds: Option<(i128, i128)>, method: Method, as_lemma: bool) -> Proof {
    let facts = Analyses::new(cfa);
    let mut encoder = Encoder::new(cfa, &facts, Encoding::Int);
    let mut draft = Draft::default();
    let holds = draft.formula(Terms::TRUE);
    let mut points = Vec::new();
    if let Some((lower, upper)) = bounds {
        let formula = draft.formula(within(&mut encoder, "i", lower, upper));
        points.push(Point { place: loop_head(cfa), formula });
    }
    if as_lemma {
        draft.lemmas.push(std::mem::take(&mut points));
    }
    draft.procedures.push(Procedure { function: cfa.start, requires: holds, ensures: holds, points });
    draft.finish(&encoder.terms, Encoding::Int, method).unwrap()
}

const HOARE: Method = Method::Induction { k: 0 };

#[test]
fn an_inductive_formula_is_confirmed() {
    let cfa = bounded();
    assert!(checked(&cfa, &floyd(&cfa, Some((0, 10)), HOARE, false)).is_ok());
    assert!(checked(&cfa, &floyd(&cfa, Some((0, 10)), Method::Induction { k: 1 }, true)).is_ok());
    assert!(checked(&cfa, &floyd(&cfa, Some((-5, 10)), HOARE, false)).is_ok());
}

#[test]
fn what_is_too_weak_or_too_strong_or_missing_is_refused() {
    let cfa = bounded();
    assert_eq!(step(checked(&cfa, &floyd(&cfa, Some((0, 11)), HOARE, false))), Some(Obligation::Safety));
    assert_eq!(step(checked(&cfa, &floyd(&cfa, Some((0, 5)), HOARE, false))), Some(Obligation::Consecution));
    assert_eq!(step(checked(&cfa, &floyd(&cfa, Some((1, 10)), HOARE, false))), Some(Obligation::Initiation));
    assert_eq!(step(checked(&cfa, &floyd(&cfa, None, HOARE, false))), Some(Obligation::Initiation));
}

#[test]
fn lemmas_are_checked_too() {
    let cfa = bounded();
    let induction = Method::Induction { k: 1 };
    assert_eq!(
        step(checked(&cfa, &floyd(&cfa, Some((0, 5)), induction, true))),
        Some(Obligation::Consecution)
    );
    // With 11 there would be an error in the segment before.
    assert!(checked(&cfa, &floyd(&cfa, Some((0, 11)), induction, true)).is_ok());
}

#[test]
fn a_wrong_k_is_refused() {
    // The error needs three rounds, so that the first two segments show nothing.
    let cfa = automata(&format!(
        "{HEAD} int main(void) {{ int i = 0; while (__VERIFIER_nondet_int()) {{ i++; \
         if (i == 3) reach_error(); }} return 0; }}"
    ));
    for k in 1..6 {
        let refusal = checked(&cfa, &floyd(&cfa, None, Method::Induction { k }, false));
        assert_eq!(step(refusal), Some(Obligation::Safety), "k = {k}");
    }
    let unrolled = checked(&cfa, &floyd(&cfa, None, Method::Unrolling { bound: 2 }, false));
    assert_eq!(step(unrolled), Some(Obligation::Bound));
}

#[test]
fn a_loop_that_ends_is_unrolled() {
    let cfa = automata(&format!(
        "{HEAD} int main(void) {{ int i = 0; while (i < 3) i++; if (i != 3) reach_error(); return 0; }}"
    ));
    assert!(checked(&cfa, &floyd(&cfa, None, Method::Unrolling { bound: 4 }, false)).is_ok());
    let early = checked(&cfa, &floyd(&cfa, None, Method::Unrolling { bound: 2 }, false));
    assert_eq!(step(early), Some(Obligation::Bound));
}

#[test]
fn a_proof_of_another_program_is_refused() {
    let cfa = bounded();
    let proof = floyd(&cfa, Some((0, 10)), HOARE, false);
    let other = automata(&format!(
        "{HEAD} int main(void) {{ int i = 0; while (__VERIFIER_nondet_int()) {{ if (i < 11) i++; \
         if (i > 10) reach_error(); }} return 0; }}"
    ));
    assert!(checked(&other, &proof).is_err());
    let none = automata(&format!("{HEAD} int main(void) {{ reach_error(); return 0; }}"));
    assert!(checked(&none, &proof).is_err());
}

#[test]
fn files_say_the_same() {
    let cfa = bounded();
    let proof = floyd(&cfa, Some((0, 10)), HOARE, false);
    let json: Json = serde_json::from_str(&proof.to_json(&cfa).to_string()).unwrap();
    let read = Proof::from_json(&cfa, &json).unwrap();
    assert_eq!(read, proof);
    assert!(checked(&cfa, &read).is_ok());
}

/// Every way to leave something out of a file, and some to change it: never a panic, never a proof of less.
#[test]
fn damaged_files_are_refused() {
    let cfa = bounded();
    let good = floyd(&cfa, Some((0, 10)), HOARE, false).to_json(&cfa);
    let accepts = |json: &Json| Proof::from_json(&cfa, json).is_ok_and(|proof| checked(&cfa, &proof).is_ok());
    assert!(accepts(&good));
    for key in good.as_object().unwrap().keys() {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(key);
        assert!(!accepts(&bad), "without {key}");
    }
    let mut bad = good.clone();
    bad["procedures"][0]["points"] = Json::Array(Vec::new());
    assert!(!accepts(&bad));
    let mut bad = good.clone();
    bad["procedures"][0]["points"][0][3] = 1000.into();
    assert!(!accepts(&bad));
    let mut bad = good.clone();
    bad["formulas"]["rows"][0] = "symbol 7 Int any.s32".into();
    assert!(!accepts(&bad));
    let mut bad = good;
    bad["procedures"] = Json::Array(Vec::new());
    assert!(!accepts(&bad));
}

// ---- contracts ----

fn with_call() -> Cfa {
    automata(&format!(
        "{HEAD} int half(int n) {{ if (n < 0) reach_error(); return n / 2; }}\n\
         int main(void) {{ int x = __VERIFIER_nondet_int(); if (x < 0 || x > 100) return 0; int r = half(x); \
         if (r > 50) reach_error(); return 0; }}"
    ))
}

/// `half` requires `least` ≤ n ≤ 100 and ensures 0 ≤ result ≤ `most`.
fn hoare(cfa: &Cfa, least: i128, most: i128) -> Proof {
    let facts = Analyses::new(cfa);
    let mut encoder = Encoder::new(cfa, &facts, Encoding::Int).with_entry_copies();
    let mut draft = Draft::default();
    let holds = draft.formula(Terms::TRUE);
    draft.procedures.push(Procedure {
        function: cfa.start,
        requires: holds,
        ensures: holds,
        points: Vec::new(),
    });
    let half = cfa.names().find_function("half").unwrap();
    let result = cfa.program.functions[half].result.unwrap();
    let blocks = facts.blocks(cfa, Partition::Functions);
    let entry = cfa.automaton(half).unwrap().entry;
    let interface = Interface::new(&encoder, &blocks.blocks[blocks.entered_at(entry).unwrap()]);
    assert!(!interface.inputs.is_empty());
    let requires = within(&mut encoder, "n", least, 100);
    let state = State::symbolic(&encoder.cells, &mut encoder.terms, 0);
    let range = Known::In(Range { lower: 0, upper: most, modulus: 1, residue: 0 });
    let ensures = encoder.known(&state, (result, 0, cfa.program.vars[result].ty), range).unwrap();
    let (requires, ensures) = (draft.formula(requires), draft.formula(ensures));
    draft.procedures.push(Procedure { function: half, requires, ensures, points: Vec::new() });
    draft.finish(&encoder.terms, Encoding::Int, HOARE).unwrap()
}

#[test]
fn contracts_are_kept_and_apply() {
    let cfa = with_call();
    assert!(checked(&cfa, &hoare(&cfa, 0, 50)).is_ok());
    assert_eq!(step(checked(&cfa, &hoare(&cfa, 0, 49))), Some(Obligation::Ensures));
    assert_eq!(step(checked(&cfa, &hoare(&cfa, 1, 50))), Some(Obligation::Requires));
    assert_eq!(step(checked(&cfa, &hoare(&cfa, -1, 50))), Some(Obligation::Safety));
    assert_eq!(step(checked(&cfa, &hoare(&cfa, 0, 51))), Some(Obligation::Safety));
}
