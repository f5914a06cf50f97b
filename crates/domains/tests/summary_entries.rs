//! `expand` is told the entry with which a summary began: the caller's own reduced entry, or a wider one that
//! was lent, widened, or still on the stack.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::rc::Rc;
use std::time::Duration;
use summa_bam::reference::Reference;
use summa_bam::{Bam, CacheKey, Reducer, Settings, Side, Solved};
use summa_base::Budget;
use summa_cfa::{Cfa, NodeId, Op};
use summa_cpa::{Arrival, Cpa, Key, Layer, Move, Product, Stop};
use summa_domains::callstack::Callstack;
use summa_domains::interval::Intervals;
use summa_domains::location::Location;
use summa_domains::specification::Specification;
use summa_domains::{AnyPrecision, AnyState, Domain, scalars};
use summa_facts::Analyses;
use summa_facts::blocks::{Block, Blocks, Partition};
use summa_testkit::automata;

type State = Rc<[AnyState]>;
type Precision = Rc<[AnyPrecision]>;

/// A product that looks at what `expand` is given.
struct Watched<'a> {
    product: Product<Domain<'a>>,
    /// Uses of a summary that began with just what the caller has, and with more.
    own: usize,
    wider: usize,
}

impl Cpa for Watched<'_> {
    type State = State;
    type Precision = Precision;

    fn initial(&mut self, node: NodeId) -> (State, Precision) {
        self.product.initial(node)
    }

    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        self.product.moves(state, moves);
    }

    fn transfer(&mut self, state: &State, precision: &Precision, by: Move) -> Result<Vec<State>, Stop> {
        self.product.transfer(state, precision, by)
    }

    fn merge(&mut self, a: &State, b: &State, pi: &Precision, at: &Arrival) -> Result<Option<State>, Stop> {
        self.product.merge(a, b, pi, at)
    }

    fn stop(&mut self, state: &State, reached: &State, precision: &Precision) -> Result<bool, Stop> {
        self.product.stop(state, reached, precision)
    }

    fn prec(
        &mut self,
        state: State,
        precision: &Precision,
        at: &Arrival,
    ) -> Result<Option<(State, Precision)>, Stop> {
        self.product.prec(state, precision, at)
    }

    fn is_target(&self, state: &State) -> bool {
        self.product.is_target(state)
    }

    fn key(&self, state: &State, key: &mut Key) {
        self.product.key(state, key);
    }

    fn show(&self, state: &State) -> String {
        self.product.show(state)
    }
}

impl Reducer for Watched<'_> {
    fn reduce(&mut self, block: &Block, entry: &State) -> Result<State, Stop> {
        self.product.reduce(block, entry)
    }

    fn reduce_precision(&mut self, block: &Block, precision: &Precision) -> Precision {
        self.product.reduce_precision(block, precision)
    }

    fn expand(&mut self, block: &Block, entry: &State, begun: &State, exit: &State) -> Result<State, Stop> {
        let reduced = self.product.reduce(block, entry)?;
        let (_, precision) = self.product.initial(block.entry);
        assert!(
            self.product.stop(&reduced, begun, &precision)?,
            "{} was summarised as {}",
            self.product.show(&reduced),
            self.product.show(begun)
        );
        let is_own = self.product.stop(begun, &reduced, &precision)?;
        *(if is_own { &mut self.own } else { &mut self.wider }) += 1;
        self.product.expand(block, entry, begun, exit)
    }

    fn rebuild(
        &mut self,
        block: &Block,
        call: Option<Move>,
        before: &State,
        entry: &State,
        exit: State,
    ) -> Result<Option<State>, Stop> {
        self.product.rebuild(block, call, before, entry, exit)
    }

    fn cache_key(&mut self, block: &Block, reduced: &State, precision: &Precision, key: &mut CacheKey) {
        self.product.cache_key(block, reduced, precision, key);
    }

    fn widen(&mut self, block: &Block, before: &State, now: &State, side: Side) -> Result<State, Stop> {
        self.product.widen(block, before, now, side)
    }
}

fn watched<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Watched<'a> {
    let is_error = |edge| matches!(cfa.edges[edge].op, Op::Error { .. });
    let product = Product::new(vec![
        Domain::Location(Location { cfa }),
        Domain::Callstack(Callstack::new(cfa)),
        Domain::Specification(Specification::new(cfa, Box::new(is_error))),
        Domain::Interval(Intervals::new(cfa, facts, scalars::Options::default())),
    ]);
    Watched { product, own: 0, wider: 0 }
}

/// How often summaries were used that began with the caller's entry, and with a wider one.
fn uses(text: &str, settings: Settings) -> (usize, usize) {
    let cfa = automata(text);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    let mut bam = Bam::new(&cfa, &blocks, watched(&cfa, &facts), settings, vec![Layer::Unrolled]);
    let solved = bam.solve(&Budget::unlimited());
    assert_eq!(solved, Ok(Solved::Complete));
    (bam.cpa.own, bam.cpa.wider)
}

/// The second entry is covered by the first one.
const TWO_CALLS: &str = "extern int __VERIFIER_nondet_int(void);
    static int next(int x) { int y = x; y = y + 1; return y; }
    int main(void) { next(__VERIFIER_nondet_int()); return next(5); }";

const GROWING: &str = "extern int __VERIFIER_nondet_int(void);
    static int up(int n) { if (__VERIFIER_nondet_int()) return n; return up(n + 1); }
    int main(void) { return up(0); }";

#[test]
fn a_summary_of_its_own_began_with_the_entry() {
    assert_eq!(uses(TWO_CALLS, Settings::default()), (3, 0), "main, and two entries of next");
}

#[test]
fn a_summary_that_is_lent_began_with_a_wider_entry() {
    assert_eq!(uses(TWO_CALLS, Settings { borrow: true, ..Settings::default() }), (2, 1));
}

#[test]
fn an_entry_that_is_widened_is_wider() {
    let (own, wider) = uses(GROWING, Settings { widen_after: 3, ..Settings::default() });
    assert!(own > 0 && wider > 0, "{own} and {wider}");
}

/// In the algorithms of the paper an entry on the stack may cover that of a recursive call.
#[test]
fn the_reference_tells_the_entry_on_the_stack() {
    let text = "extern int __VERIFIER_nondet_int(void);
        static int down(int n) { int m = n - 1; n = 0; if (m < 0) return 7; return down(m); }
        int main(void) { return down(__VERIFIER_nondet_int()); }";
    let cfa = automata(text);
    let facts = Analyses::new(&cfa);
    let blocks = Blocks::new(&cfa, &facts, Partition::Functions, 0);
    let mut reference = Reference::new(&cfa, &blocks, watched(&cfa, &facts), vec![Layer::Unrolled], 60);
    let budget = Budget::with_time(Duration::from_secs(10));
    reference.fixed_point(&budget).unwrap();
    // The program itself ends, and has no exits: `main` returns.
    let main = blocks.entered_at(cfa.automaton(cfa.main).unwrap().entry).unwrap();
    assert!(!reference.exits(main).is_empty());
    assert!(reference.cpa.wider > 0, "{} and {}", reference.cpa.own, reference.cpa.wider);
}
