//! Predicate abstraction and IMPACT on small programs: verdicts, and the graphs that the paper shows.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use summa_base::Budget;
use summa_c::load_text;
use summa_c::types::DataModel;
use summa_cfa::analysis::Analyses;
use summa_cfa::{BuildOptions, Cfa, EdgeId, Op};
use summa_cpa::{Cpa, Layer, Outcome, Product, Reached, cegar};
use summa_domains::Domain;
use summa_domains::callstack::Callstack;
use summa_domains::location::Location;
use summa_domains::predicate::{Blocks, Predicate, PredicateRefiner, Representation, Settings, Strategy};
use summa_domains::specification::Specification;
use summa_encode::Encoding;

const PREDICATE: Settings = Settings {
    representation: Representation::Bdd,
    blocks: Blocks::Loops,
    strategy: Strategy::Predicate,
    forced_covering: false,
    cartesian: false,
    merge: true,
    prune: false,
};
const IMPACT: Settings = Settings {
    representation: Representation::Term,
    strategy: Strategy::Impact,
    forced_covering: true,
    ..PREDICATE
};

fn build(text: &str) -> Cfa {
    let loaded = load_text("test.c", text, DataModel::Lp64);
    let loaded = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    summa_cfa::build(loaded.program, &BuildOptions::default()).unwrap()
}

fn run(text: &str, settings: Settings, encoding: Encoding) -> (Outcome<()>, String) {
    let cfa = build(text);
    let facts = Analyses::new(&cfa);
    let budget = Budget::unlimited();
    let predicate = Predicate::new(&cfa, &facts, encoding, settings, &budget).unwrap();
    let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
    let mut product = Product::new(vec![
        Domain::Location(Location { cfa: &cfa }),
        Domain::Callstack(Callstack::new(&cfa)),
        Domain::Specification(Specification::new(&cfa, Box::new(is_error))),
        Domain::Predicate(predicate),
    ]);
    let mut reached = Reached::new(vec![Layer::Unrolled]);
    let (state, precision) = product.initial(cfa.entry());
    reached.add_root(&cfa, &product, cfa.entry(), state, precision);
    let outcome = cegar(&cfa, &mut product, &mut reached, &mut PredicateRefiner::default(), &budget).unwrap();
    let outcome = match outcome {
        Outcome::Safe => Outcome::Safe,
        Outcome::Unsafe(_) => Outcome::Unsafe(()),
    };
    let mut text = String::new();
    for id in reached.alive() {
        let node = &reached.nodes[id];
        text += &format!(
            "{id} <- {:?} {:?} {}\n",
            node.parents.iter().map(|p| p.0).collect::<Vec<_>>(),
            node.status,
            product.show(&node.state)
        );
    }
    (outcome, text)
}

const FIGURE_2: &str = "
extern void reach_error(void);
int main(void) {
  int x = 0;
  int y = 0;
  while (x < 2) {
    x++;
    y++;
    if (x != y) {
      reach_error();
    }
  }
  return 0;
}";

#[test]
fn figure_2_is_safe() {
    for settings in [PREDICATE, IMPACT] {
        for encoding in [Encoding::Int, Encoding::BitVector] {
            let (outcome, graph) = run(FIGURE_2, settings, encoding);
            println!("{graph}");
            assert_eq!(outcome, Outcome::Safe);
        }
    }
}
