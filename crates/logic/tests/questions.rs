//! The workbench against concrete programs: triples, chains and their interpolants, formulas as data.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::time::Duration;
use summa_base::{Budget, Unanswered};
use summa_cfa::{Cfa, EdgeId};
use summa_encode::{Encoder, Encoding, PathId};
use summa_facts::Analyses;
use summa_logic::{Block, Plainly, Triple, Workbench};
use summa_term::{Term, Terms};
use summa_testkit::automata;

const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
    int main(void) { int x = __VERIFIER_nondet_int(); int y = 3; x = x * x; y = y + 1; x = 7; return x; }";

/// Each question in both arithmetics.
fn in_both(check: impl Fn(&Cfa, Workbench<'_>)) {
    let cfa = automata(PROGRAM);
    let facts = Analyses::new(&cfa);
    for encoding in [Encoding::Int, Encoding::BitVector] {
        let encoder = Encoder::new(&cfa, &facts, encoding);
        check(&cfa, Workbench::new(encoder, &Budget::unlimited()).unwrap());
    }
}

fn edge(cfa: &Cfa, text: &str) -> EdgeId {
    cfa.edges.ids().find(|&edge| cfa.edges[edge].op.text(&cfa.program) == text).unwrap()
}

/// The path over these edges, whatever was before.
fn path(cfa: &Cfa, logic: &mut Workbench<'_>, texts: &[&str]) -> PathId {
    let start = logic.paths.block_entry();
    texts.iter().fold(start, |path, text| logic.paths.edge(path, edge(cfa, text)))
}

/// The formula variable = number.
fn is(logic: &mut Workbench<'_>, name: &str, number: i128) -> Term {
    let cells = &logic.paths.encoder.cells.cells;
    let cell = cells.ids().find(|&cell| logic.paths.name_of(cell) == format!("main.{name}")).unwrap();
    let (symbol, sort) = (cells[cell].symbol, cells[cell].sort);
    let terms = logic.terms();
    let symbol = terms.symbol(symbol, 0);
    let number = match sort {
        summa_term::Sort::Bv(width) => terms.bv(width, number as u128),
        _ => terms.int(number),
    };
    terms.eq(symbol, number)
}

#[test]
fn triples_are_decided() {
    in_both(|cfa, mut logic| {
        let add = path(cfa, &mut logic, &["y = y + 1;"]);
        let (three, four) = (is(&mut logic, "y", 3), is(&mut logic, "y", 4));
        let other = is(&mut logic, "x", 5);
        let time = Duration::from_secs(5);
        // A name for what is asked, `pre`, `post`, and whether the triple is valid.
        let cases: [(&str, &[Term], &[Term], bool); 6] = [
            ("y + 1", &[three], &[four], true),
            ("unchanged", &[other], &[other], true),
            ("both", &[three, other], &[four, other], true),
            ("wrong", &[three], &[three], false),
            ("too little is known", &[], &[four], false),
            ("anything from nothing", &[Terms::FALSE], &[three], true),
        ];
        for (name, pre, post, expected) in cases {
            let triple = Triple { pre, path: add, post };
            assert_eq!(logic.holds(triple), Ok(expected), "{name}");
            assert_eq!(logic.refute(triple, time).unwrap().is_none(), expected, "{name}");
        }
    });
}

/// Obvious questions need no solver.
#[test]
fn cheap_checks_ask_nobody() {
    in_both(|cfa, mut logic| {
        let assign = path(cfa, &mut logic, &["x = 7;"]);
        let (seven, other) = (is(&mut logic, "x", 7), is(&mut logic, "y", 3));
        assert_eq!(logic.holds(Triple { pre: &[other], path: assign, post: &[seven, other] }), Ok(true));
        assert_eq!(logic.statistics().checks, 0);
        let plainly = Plainly::new(&logic.paths.encoder.terms, &[other]);
        let not_other = logic.terms().not(other);
        assert_eq!(plainly.decide(logic.terms(), not_other), Some(false));
        assert_eq!(plainly.decide(logic.terms(), seven), None);
    });
}

/// An atom with a product is left out where it has nothing to do with the question.
#[test]
fn hard_atoms_are_left_out_and_come_back() {
    in_both(|cfa, mut logic| {
        let square = path(cfa, &mut logic, &["x = x * x;"]);
        let (odd, three) = (is(&mut logic, "x", 49), is(&mut logic, "y", 3));
        let hard = logic.after(square, odd);
        let light = logic.lighten(&[hard, three], &[three]);
        assert!(light.is_lighter() && light.formulas[0] != hard && light.formulas[1] == three);
        assert_eq!(light.restore(logic.terms(), light.formulas[0]), hard);
        assert!(!logic.lighten(&[hard, three], &[hard]).is_lighter());
    });
}

/// τ₁, τ₂ are inductive: what the definition says, asked as triples.
#[test]
fn interpolants_of_a_chain_are_inductive() {
    in_both(|cfa, mut logic| {
        let first = path(cfa, &mut logic, &["y = 3;"]);
        let second = path(cfa, &mut logic, &["y = y + 1;"]);
        let wrong = is(&mut logic, "y", 5);
        let blocks = [Block::alone(first), Block::alone(second)];
        let mut chain = logic.chain(&blocks);
        logic.end_with(&mut chain, wrong);
        let found = logic.interpolants(&chain, false).unwrap();
        let [between, behind, last] = found[..] else { panic!("{found:?}") };
        assert_eq!(last, Terms::FALSE);
        assert_eq!(logic.holds(Triple { pre: &[], path: first, post: &[between] }), Ok(true));
        assert_eq!(logic.holds(Triple { pre: &[between], path: second, post: &[behind] }), Ok(true));
        assert_eq!(logic.is_sat(&[behind, wrong]), Ok(false));
        // And a chain with a model has none.
        let mut chain = logic.chain(&blocks);
        let right = is(&mut logic, "y", 4);
        logic.end_with(&mut chain, right);
        assert!(matches!(logic.interpolants(&chain, false), Err(Unanswered::GaveUp(_))));
    });
}

#[test]
fn formulas_come_back_from_another_run() {
    in_both(|_, mut logic| {
        let (three, other) = (is(&mut logic, "y", 3), is(&mut logic, "x", 5));
        let saved = logic.save(&[three, other]).unwrap();
        let cfa = automata(PROGRAM);
        let facts = Analyses::new(&cfa);
        let encoder = Encoder::new(&cfa, &facts, logic.paths.encoder.encoding);
        let mut again = Workbench::new(encoder, &Budget::unlimited()).unwrap();
        assert_eq!(again.load(&saved), Ok(vec![is(&mut again, "y", 3), is(&mut again, "x", 5)]));
        let mut other = saved.clone();
        other.rows.rows.iter_mut().for_each(|row| *row = row.replace("y", "nobody"));
        assert!(again.load(&other).is_err());
    });
}
