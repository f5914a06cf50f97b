//! The example of Beyer, Friedberger, ESEC/FSE 2020 (Fig. 1, Section 4.3): the summary of a recursive
//! function, with the predicate that the paper gives, and found by refinement from nothing.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use summa_bam::reference::Reference;
use summa_bam::{Bam, Settings, Solved};
use summa_base::Budget;
use summa_cfa::{Cfa, Op};
use summa_cpa::{Cpa, Layer, Product};
use summa_domains::callstack::Callstack;
use summa_domains::location::Location;
use summa_domains::predicate::{Predicate, Settings as PredicateSettings};
use summa_domains::specification::Specification;
use summa_domains::{AnyPrecision, AnyState, Domain};
use summa_encode::Encoding;
use summa_engines::{Config, Outcome, Task};
use summa_facts::Analyses;
use summa_facts::blocks::{BlockKind, Partition};
use summa_term::Terms;
use summa_testkit::automata;

/// Fig. 1.
const FIG_1: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned sum(unsigned n, unsigned m) {
  if (n == 0) { return m; } else { unsigned tmp = sum(n - 1, m + 1); return tmp; }
}
int main(void) {
  unsigned a = __VERIFIER_nondet_uint();
  unsigned b = __VERIFIER_nondet_uint();
  unsigned s = sum(a, b);
  if (s != a + b) { reach_error(); }
  return 0;
}";

fn predicate<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Predicate<'a> {
    let settings = PredicateSettings { summaries: true, ..PredicateSettings::ABSTRACTION };
    Predicate::new(cfa, facts, Encoding::BitVector, settings, &Budget::unlimited()).unwrap()
}

/// The product of Section 4.3 with the precision `ret = m_p + n_p` at the exit of `sum`.
fn with_the_papers_precision<'a>(
    cfa: &'a Cfa,
    facts: &'a Analyses,
) -> (Product<Domain<'a>>, std::rc::Rc<[AnyPrecision]>) {
    let is_error = |edge| matches!(cfa.edges[edge].op, Op::Error { .. });
    let mut domain = predicate(cfa, facts);
    let cell = |name: &str| {
        let cells = &domain.logic.paths.encoder.cells.cells;
        cells.ids().find(|&cell| domain.logic.paths.name_of(cell) == name).unwrap()
    };
    let [ret, n, m] = ["sum.__result", "old(sum.n)", "old(sum.m)"].map(cell);
    let is_sum = domain.logic.paths.encoder.sum_is(n, m, ret).unwrap();
    let sum = cfa.defined().find(|automaton| cfa.program.func_name(automaton.function) == "sum").unwrap();
    let mut product = Product::new(vec![
        Domain::Location(Location { cfa }),
        Domain::Callstack(Callstack::new(cfa)),
        Domain::Specification(Specification::new(cfa, Box::new(is_error))),
        Domain::Predicate(domain),
    ]);
    let mut precision = product.initial(cfa.entry()).1.to_vec();
    let Some(AnyPrecision::Predicate(predicates)) = precision.last_mut() else { panic!("the last one") };
    predicates.add(sum.exit, &[is_sum]);
    // `false` where the error is: whether it can be reached is a question.
    for edge in cfa.edges.values().filter(|edge| matches!(edge.op, Op::Error { .. })) {
        predicates.add(edge.to, &[Terms::FALSE]);
    }
    (product, precision.into())
}

#[test]
fn with_the_papers_precision_one_summary_is_enough() {
    let cfa = automata(FIG_1);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    let (product, precision) = with_the_papers_precision(&cfa, &facts);
    let mut bam = Bam::new(&cfa, &blocks, product, Settings::default(), vec![Layer::Unrolled]);
    bam.set_precision(precision);
    assert_eq!(bam.solve(&Budget::unlimited()), Ok(Solved::Complete), "no target is left");
    // The summary of `sum`, used by `main` and by itself.
    let (_, sum) = bam
        .store
        .held()
        .into_iter()
        .map(|id| (id, &bam.store.summaries[id]))
        .find(|(_, summary)| {
            let BlockKind::Function(function) = blocks.blocks[summary.block].kind else { return false };
            cfa.program.func_name(function) == "sum"
        })
        .unwrap();
    let Some(AnyState::Predicate(entry)) = sum.entry.last() else { panic!("the last one") };
    let [exit] = &sum.exits[..] else { panic!("{} exits", sum.exits.len()) };
    let Some(AnyState::Predicate(exit)) = exit.state.last() else { panic!("the last one") };
    let Some(Domain::Predicate(domain)) = bam.cpa.components.last() else { panic!("the last one") };
    let formula = |state: &summa_domains::predicate::PredicateState| {
        domain.show_formula(domain.abstractions[state.abstraction].formula)
    };
    assert_eq!(formula(entry), "true", "Fig. 5: e_5");
    assert_eq!(formula(exit), "(= sum.__result (bvadd |old(sum.n)| |old(sum.m)|))", "Fig. 5: e_8");
    assert_eq!(sum.users.len(), 2, "the call in main and the recursive one");
}

#[test]
fn the_reference_needs_two_iterations() {
    let cfa = automata(FIG_1);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    let (product, _) = with_the_papers_precision(&cfa, &facts);
    let mut reference = Reference::new(&cfa, &blocks, product, vec![Layer::Unrolled], 100);
    reference.fixed_point(&Budget::unlimited()).unwrap();
    assert_eq!(reference.rounds, 2);
}

#[test]
fn refinement_finds_the_summary_from_nothing() {
    let cfa = automata(FIG_1);
    let facts = Analyses::new(&cfa);
    for name in ["predicate-bam-rec", "value+predicate-bam-rec"] {
        let task = Task::new(&cfa, &facts, Budget::unlimited(), &|_| true);
        let report = summa_engines::run(&Config::preset(name).unwrap(), &task, &mut |_| false);
        assert!(matches!(report.outcome, Outcome::Claimed(_)), "{name}: {:?}", report.outcome);
        assert!(report.progress.refinements > 0, "{name}");
    }
}
