//! Block-abstraction memoization with a domain whose answers can be computed on paper: summaries that are
//! used again, recursion, widening, borrowed summaries, refinement, error paths, and a comparison with the
//! paper's algorithms.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::collections::BTreeSet;
use summa_bam::reference::Reference;
use summa_bam::{Bam, Settings, Solved, Target};
use summa_base::Budget;
use summa_cfa::{Cfa, Op};
use summa_cpa::{Cpa, Layer, Move, Product, Step, Stop};
use summa_facts::Analyses;
use summa_facts::blocks::{BlockId, Blocks, Partition};
use summa_testkit::toy::{Toy, can_be_taken, numbers, toy};
use summa_testkit::{Random, automata};

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int x, y;\n";
const LAYERS: [Layer; 1] = [Layer::Unrolled];

struct Program {
    cfa: Cfa,
    blocks: Blocks,
}

impl Program {
    fn new(body: &str) -> Self {
        let cfa = automata(&format!("{HEAD}{body}"));
        let facts = Analyses::new(&cfa);
        let blocks = Blocks::new(&cfa, &facts, Partition::Functions, 0);
        Self { cfa, blocks }
    }

    /// `x` and `y` are followed, states stay apart.
    fn bam(&self, most: usize, settings: Settings) -> Bam<'_, Product<Toy<'_>>> {
        let cpa = toy(&self.cfa, &["x", "y"], false, most);
        Bam::new(&self.cfa, &self.blocks, cpa, settings, LAYERS.to_vec())
    }
}

/// Runs to the end, targets or not; the targets.
fn finish(bam: &mut Bam<'_, Product<Toy<'_>>>) -> Vec<Target> {
    let mut targets = Vec::new();
    while let Solved::Target(target) = bam.solve(&Budget::unlimited()).unwrap() {
        targets.push(target);
    }
    targets
}

type Sets = Vec<Option<Vec<i128>>>;

/// The block of `main`: the program itself ends, and has no exits.
fn main_block(cfa: &Cfa, blocks: &Blocks) -> BlockId {
    blocks.entered_at(cfa.automaton(cfa.main).unwrap().entry).unwrap()
}

/// What `x` and `y` may be when `main` returns.
fn at_exit(bam: &Bam<'_, Product<Toy<'_>>>) -> BTreeSet<Sets> {
    let main = main_block(bam.cfa, bam.blocks);
    let root = &bam.store.summaries[bam.root.unwrap()];
    let used = root.uses.iter().map(|&each| &bam.store.summaries[bam.store.uses[each].callee]);
    let exits = used.filter(|summary| summary.block == main).flat_map(|summary| &summary.exits);
    exits.map(|exit| numbers(&exit.state)).collect()
}

/// `y` is any number where no function but the start of the program mentions it.
fn only(x: i128) -> Sets {
    vec![Some(vec![x]), None]
}

/// `inc` does not see `y`, so its two calls with x = 0 have one summary, and `y` keeps its value over the
/// call.
#[test]
fn a_summary_is_used_twice() {
    let program = Program::new(
        "void inc(void) { x = x + 1; }
         int main(void) { y = 1; inc(); x = 0; y = 2; inc(); return 0; }",
    );
    let mut bam = program.bam(9, Settings::default());
    assert!(finish(&mut bam).is_empty());
    assert_eq!((bam.counters.created, bam.counters.hits), (2, 1), "main and inc; inc again");
    assert_eq!(at_exit(&bam), BTreeSet::from([vec![Some(vec![1]), Some(vec![2])]]));
}

/// Another number at the entry is another summary.
#[test]
fn the_key_holds_what_the_block_reads() {
    let program = Program::new(
        "void inc(void) { x = x + 1; }
         int main(void) { inc(); inc(); if (x != 2) reach_error(); return 0; }",
    );
    let mut bam = program.bam(9, Settings::default());
    assert!(finish(&mut bam).is_empty());
    assert_eq!((bam.counters.created, bam.counters.hits), (3, 0));
    assert_eq!(at_exit(&bam), BTreeSet::from([only(2)]));
}

const TOGGLE: &str = "void toggle(void) { if (__VERIFIER_nondet_int()) { x = 1 - x; toggle(); } }
     int main(void) { toggle(); return 0; }";

/// The recursion has two entries, x = 0 and x = 1; each returns with both numbers.
#[test]
fn recursion_is_a_fixed_point() {
    let program = Program::new(TOGGLE);
    let mut bam = program.bam(9, Settings::default());
    assert!(finish(&mut bam).is_empty());
    assert_eq!(bam.counters.created, 3, "main, toggle with 0, toggle with 1");
    assert!(bam.counters.hits >= 1, "0 again");
    assert_eq!(at_exit(&bam), BTreeSet::from([only(0), only(1)]));
    assert!(bam.store.summaries.values().all(|summary| summary.is_complete));
}

#[test]
fn without_recursion_it_is_refused() {
    let program = Program::new(TOGGLE);
    let mut bam = program.bam(9, Settings { recursion: false, ..Settings::default() });
    let stopped = bam.solve(&Budget::unlimited());
    assert!(matches!(stopped, Err(Stop::Unsupported { ref what, .. }) if what == "recursion"), "{stopped:?}");
}

/// x = 0, 1, 2, … at the entry: widened to any number, the recursion ends.
#[test]
fn entries_that_grow_are_widened() {
    let program = Program::new(
        "void up(void) { if (__VERIFIER_nondet_int()) { x = x + 1; up(); } y = 7; }
         int main(void) { up(); if (y != 7) reach_error(); return 0; }",
    );
    let mut bam = program.bam(9, Settings { widen_after: 3, ..Settings::default() });
    assert!(finish(&mut bam).is_empty());
    assert!(bam.counters.widened > 0);
    assert!(at_exit(&bam).contains(&vec![None, Some(vec![7])]), "{:?}", at_exit(&bam));
    assert!(at_exit(&bam).iter().all(|sets| sets[1] == Some(vec![7])), "what does not grow stays precise");
}

/// The summary of any number stands in for that of 5 until a target shows that it is too weak.
#[test]
fn what_was_borrowed_is_repaired() {
    let program = Program::new(
        "void inc(void) { x = x + 1; }
         int main(void) { x = __VERIFIER_nondet_int(); inc(); x = 5; inc();
           if (x != 6) reach_error(); return 0; }",
    );
    let mut bam = program.bam(9, Settings { borrow: true, ..Settings::default() });
    let Solved::Target(target) = bam.solve(&Budget::unlimited()).unwrap() else { panic!("it is too weak") };
    assert_eq!(bam.counters.borrowed, 1);
    let borrowed = bam.borrowed_on(&bam.frames(target));
    assert_eq!(borrowed.len(), 1);
    assert!(bam.repair(&borrowed).unwrap());
    assert_eq!(bam.solve(&Budget::unlimited()), Ok(Solved::Complete));
    assert_eq!(at_exit(&bam), BTreeSet::from([only(6)]));
    assert!(!bam.repair(&borrowed).unwrap(), "its own summary is there now");
}

/// Without numbers the error seems reachable; with one number in each set it is not. `other` mentions neither
/// variable, so its summary stays valid.
#[test]
fn refinement_renews_only_what_it_changes() {
    let program = Program::new(
        "int other(int n) { return n + 1; } void inc(void) { x = x + 1; }
         int main(void) { other(1); inc(); if (x != 1) reach_error(); return 0; }",
    );
    let mut bam = program.bam(0, Settings::default());
    assert!(matches!(bam.solve(&Budget::unlimited()), Ok(Solved::Target(_))));
    let created = bam.counters.created;
    assert_eq!(created, 3);
    assert!(!bam.set_precision([0, 0, 0].into()), "nothing new");
    assert!(bam.set_precision([0, 1, 1].into()));
    assert_eq!(bam.solve(&Budget::unlimited()), Ok(Solved::Complete));
    assert_eq!(bam.counters.created, created + 2, "main and inc");
    assert_eq!(at_exit(&bam), BTreeSet::from([only(1)]));
}

/// Two calls of `inc` share nothing but the text of the path, which goes through both.
#[test]
fn an_error_path_goes_through_blocks() {
    let program = Program::new(
        "void inc(void) { x = x + 1; } void check(void) { inc(); if (x == 3) reach_error(); }
         int main(void) { inc(); inc(); check(); return 0; }",
    );
    let mut bam = program.bam(9, Settings::default());
    let targets = finish(&mut bam);
    assert_eq!(targets.len(), 1);
    let moves = bam.flatten(&bam.frames(targets[0])).unwrap();
    assert!(moves.windows(2).all(|pair| pair[0].to == pair[1].from), "moves follow each other");
    let count = |is_it: fn(&Move) -> bool| moves.iter().filter(|&by| is_it(by)).count();
    // `main` itself, three times `inc`, `check`, which is not left.
    assert_eq!(count(|by| matches!(by.step, Step::Enter(_))), 5);
    assert_eq!(count(|by| matches!(by.step, Step::Leave(_))), 3);
    assert!(matches!(program.cfa.edges[moves.last().unwrap().step.edge()].op, Op::Error { .. }));
    let mut cpa = toy(&program.cfa, &["x", "y"], false, 9);
    let (start, _) = cpa.initial(program.cfa.entry());
    assert!(can_be_taken(&mut cpa, &start, &moves).unwrap());
}

/// A stop in the middle of a block loses nothing: wherever it comes, the work continues to the same end.
#[test]
fn a_stop_loses_nothing() {
    let program = Program::new(TOGGLE);
    let mut stops = 0;
    for patience in 0.. {
        let mut bam = program.bam(9, Settings::default());
        let mut wait = |patience| {
            let Toy::Place(place) = &mut bam.cpa.components[0] else { unreachable!() };
            place.patience = patience;
            bam.solve(&Budget::unlimited())
        };
        if wait(Some(patience)).is_ok() {
            break;
        }
        stops += 1;
        assert_eq!(wait(None), Ok(Solved::Complete));
        assert_eq!(at_exit(&bam), BTreeSet::from([only(0), only(1)]), "a stop after {patience} moves");
    }
    assert!(stops > 10, "{stops}");
}

/// Functions that set, swap and compare small numbers, and call each other in any way.
fn random_program(random: &mut Random) -> String {
    let mut text = String::new();
    for i in 0..3 {
        text += &format!("void f{i}(void);\n");
    }
    for name in ["void f0(void)", "void f1(void)", "void f2(void)", "int main(void)"] {
        text += &format!("{name} {{\n");
        for _ in 0..=random.below(3) {
            let (v, n) = (*random.pick(&["x", "y"]), random.below(3));
            text += &match random.below(6) {
                0 => format!("  {v} = {n};\n"),
                1 => format!("  {v} = 1 - {v};\n"),
                2 => format!("  if ({v} == {n}) return 0;\n")
                    .replace("return 0", if name.starts_with("int") { "return 0" } else { "return" }),
                3 => format!("  if (__VERIFIER_nondet_int()) {v} = {n};\n"),
                4 => format!("  if (__VERIFIER_nondet_int()) f{n}();\n"),
                _ => format!("  f{n}();\n"),
            };
        }
        text += if name.starts_with("int") { "  return 0;\n}\n" } else { "}\n" };
    }
    text
}

/// Every exit that the paper's algorithms compute is covered by one of the engine's, and the other way round.
#[test]
fn the_engine_computes_what_the_paper_defines() {
    let (mut compared, mut recursive) = (0, 0);
    let mut random = Random::new(8);
    for round in 0..150 {
        let text = random_program(&mut random);
        let program = Program::new(&text);
        let cpa = toy(&program.cfa, &["x", "y"], false, 9);
        let mut reference = Reference::new(&program.cfa, &program.blocks, cpa, LAYERS.to_vec(), 40);
        // A recursion that only descends has ever new entries for the paper's algorithm, not for the engine.
        if reference.fixed_point(&Budget::unlimited()).is_err() {
            continue;
        }
        let expected = reference.exits(main_block(&program.cfa, &program.blocks));
        let expected: BTreeSet<Sets> = expected.iter().map(|state| numbers(state)).collect();
        let mut bam = program.bam(9, Settings::default());
        finish(&mut bam);
        assert_eq!(at_exit(&bam), expected, "round {round}\n{text}");
        compared += usize::from(!expected.is_empty());
        recursive += usize::from(reference.rounds > 1);
    }
    assert!(compared > 100 && recursive > 10, "{compared} compared, {recursive} with recursion");
}
