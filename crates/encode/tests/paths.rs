//! Path formulas: what they look like, and the laws of joining, memoising and instantiating them. That they
//! hold of runs is tested in `paths_follow.rs`.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use expect_test::expect;
use std::collections::BTreeMap;
use summa_base::FxHashMap;
use summa_c::tree::FuncId;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa, EdgeId, NodeId, Op};
use summa_encode::{Encoder, Encoding, PathId, Paths, Relation, Ssa};
use summa_facts::Analyses;
use summa_smt::{Family, Solver, Z3Solver};
use summa_term::{Evaluator, Sort, SymbolId, Term, Terms, Value, smtlib};
use summa_testkit::golden;

const PRELUDE: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n";

/// Fig. 2 of the paper on unifying SMT-based approaches, more or less.
const LOOP: &str = "int main(void) {
  int x = 0, y = 0;
  while (x < 2) { x++; y++; if (x != y) reach_error(); }
}";

fn program(text: &str) -> (Cfa, Analyses) {
    let loaded = summa_c::load_text("test.c", &format!("{PRELUDE}{text}"), DataModel::Lp64);
    let loaded = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
    let facts = Analyses::new(&cfa);
    (cfa, facts)
}

fn paths<'a>((cfa, facts): &'a (Cfa, Analyses), encoding: Encoding) -> Paths<'a> {
    Paths::new(Encoder::new(cfa, facts, encoding))
}

fn function(cfa: &Cfa, name: &str) -> FuncId {
    cfa.program.functions.ids().find(|&f| cfa.program.name(cfa.program.functions[f].name) == name).unwrap()
}

/// What a block leads to.
#[derive(Debug, Default)]
struct Block {
    /// Loop heads and exits of functions.
    ends: BTreeMap<NodeId, PathId>,
    /// Those inside of functions that were called.
    inner_ends: BTreeMap<NodeId, PathId>,
    errors: Vec<PathId>,
    /// Where several paths met: these, and their disjunction.
    joins: Vec<(Vec<PathId>, PathId)>,
}

/// Everything that can happen from a node to loop heads, exits and errors; calls are entered.
fn block(paths: &mut Paths<'_>, from: NodeId, start: PathId) -> Block {
    let (cfa, facts) = (paths.encoder.cfa, paths.encoder.facts);
    let automaton = cfa.automaton(cfa.nodes[from].function).unwrap();
    let is_end = |node: NodeId| node == automaton.exit || facts.loops.is_head(node);
    let successors = |node: NodeId| -> Vec<NodeId> {
        if is_end(node) && node != from {
            return Vec::new();
        }
        let targets = cfa.leaving(node).iter().map(|&edge| cfa.edges[edge].to);
        targets.filter(|&to| to != from).collect()
    };
    let mut found = Block::default();
    let mut waiting: BTreeMap<NodeId, Vec<PathId>> = BTreeMap::from([(from, vec![start])]);
    let order = summa_base::graph::post_order(from, successors);
    let mut is_first = true;
    // The head of a loop comes first as the entry and last as the end.
    for node in order.into_iter().rev().chain([from]) {
        let Some(arrived) = waiting.remove(&node) else { continue };
        let joined = arrived.iter().skip(1).fold(arrived[0], |all, &one| paths.or(all, one));
        if arrived.len() > 1 {
            found.joins.push((arrived, joined));
        }
        if is_end(node) && !is_first {
            found.ends.insert(node, joined);
            continue;
        }
        is_first = false;
        for &edge in cfa.leaving(node) {
            if let Some(after) = step(paths, joined, edge, &mut found) {
                waiting.entry(cfa.edges[edge].to).or_default().push(after);
            }
        }
    }
    found
}

fn step(paths: &mut Paths<'_>, path: PathId, edge: EdgeId, found: &mut Block) -> Option<PathId> {
    let cfa = paths.encoder.cfa;
    let after = match cfa.edges[edge].op {
        Op::Call { callee, .. } => {
            let (entry, exit) = cfa.automaton(callee).map(|a| (a.entry, a.exit)).unwrap();
            let entered = paths.enter(path, edge);
            let inside = block(paths, entry, entered);
            found.errors.extend(inside.errors);
            found.joins.extend(inside.joins);
            found.inner_ends.extend(&inside.ends);
            found.inner_ends.extend(inside.inner_ends);
            paths.leave(*inside.ends.get(&exit)?, edge).unwrap()
        }
        Op::Error { .. } => {
            found.errors.push(path);
            return None;
        }
        Op::Halt { .. } => return None,
        _ => paths.edge(path, edge),
    };
    (paths.guard(after) != Terms::FALSE).then_some(after)
}

/// The block of a function from its entry.
fn body(paths: &mut Paths<'_>, name: &str) -> Block {
    let cfa = paths.encoder.cfa;
    let (entry, start) = (cfa.automaton(function(cfa, name)).unwrap().entry, paths.block_entry());
    block(paths, entry, start)
}

/// The block from the only loop head.
fn round(paths: &mut Paths<'_>) -> (NodeId, Block) {
    let facts = paths.encoder.facts;
    let head = facts.loops.loops.values().next().unwrap().head();
    let start = paths.block_entry();
    (head, block(paths, head, start))
}

fn check_loop(encoding: Encoding, name: &str) {
    let program = program(LOOP);
    let mut paths = paths(&program, encoding);
    let (head, round) = round(&mut paths);
    let mut text = String::new();
    for (title, path) in [("head to head", round.ends[&head]), ("head to error", round.errors[0])] {
        text += &format!("-- {title}\n{}", paths.show(path));
    }
    let instance = paths.instantiate(round.ends[&head], &Ssa::zero(&paths.encoder.cells), 4);
    text += &format!("-- instance 4\n{}\n", smtlib::print(&paths.encoder.terms, instance.formula));
    golden::check(name, &text);
}

#[test]
fn a_loop_over_integers() {
    check_loop(Encoding::Int, "formulas/loop-int.txt");
}

#[test]
fn a_loop_over_bit_vectors() {
    check_loop(Encoding::BitVector, "formulas/loop-bitvector.txt");
}

/// The block before the loop, then rounds, then the error, one instance behind the other: in which round can
/// it happen?
#[test]
fn blocks_in_a_row_are_the_path() {
    let program = program(
        "struct S { int n; struct S *next; } s, t; int a[4];
         int main(void) { s.next = &t; t.next = &s; struct S *p = &s; unsigned char i = 254;
           while (1) { p->n += 1; p = p->next; a[i & 3] += s.n; i++; \
           if (a[0] == 2 && t.n) reach_error(); } }",
    );
    for encoding in [Encoding::Int, Encoding::BitVector] {
        let mut paths = paths(&program, encoding);
        let (entry, start) = (program.0.entry(), paths.program_start());
        let begin = *block(&mut paths, entry, start).inner_ends.values().next().unwrap();
        let (head, round) = round(&mut paths);
        let (next, error) = (round.ends[&head], round.errors[0]);
        let mut solver = Z3Solver::new(&Family::new().unwrap()).unwrap();
        let mut last = paths.instantiate(begin, &Ssa::zero(&paths.encoder.cells), 0);
        let mut answers = String::new();
        for number in 1..8 {
            solver.assert(&paths.encoder.terms, last.formula);
            let failing = paths.instantiate(error, &last.exit, number);
            let answer = solver.check(&mut paths.encoder.terms, &[failing.formula]);
            answers.push(if answer.is_sat() { '!' } else { '.' });
            assert!(answer.is_sat() || answer.is_unsat());
            last = paths.instantiate(next, &last.exit, number);
        }
        assert_eq!(answers, "..!....", "{}", encoding.name());
    }
}

#[test]
fn exploring_again_makes_no_path() {
    let program = program(LOOP);
    let mut paths = paths(&program, Encoding::Int);
    let first = round(&mut paths).1.ends;
    let (count, terms) = (paths.len(), paths.encoder.terms.len());
    assert_eq!(round(&mut paths).1.ends, first);
    assert_eq!((paths.len(), paths.encoder.terms.len()), (count, terms));
}

#[test]
fn instances_share_nothing_but_what_they_begin_with() {
    let program = program(
        "int g; int main(void) { while (1) { int in = __VERIFIER_nondet_int(); if (in > g) g = in; \
         else g--; } }",
    );
    let mut paths = paths(&program, Encoding::Int);
    let (head, round) = round(&mut paths);
    let (path, entry) = (round.ends[&head], Ssa::zero(&paths.encoder.cells));
    let first = paths.instantiate(path, &entry, 3);
    let second = paths.instantiate(path, &entry, 5);
    assert_eq!(paths.instantiate(path, &entry, 3), first);
    let mut late = entry.clone();
    paths.changed(path).into_iter().for_each(|cell| late.set(cell, 9));
    let third = paths.instantiate(path, &late, 3);
    let fourth = paths.instantiate(path, &late, 5);
    let terms = &paths.encoder.terms;
    let all = [&first, &second, &third, &fourth];
    for (i, a) in all.iter().enumerate() {
        assert!(paths.changed(path).iter().all(|&cell| a.exit.get(cell) > entry.get(cell)));
        for b in &all[i + 1..] {
            let (a, b) = (terms.free_symbols(a.formula), terms.free_symbols(b.formula));
            let shared: Vec<String> =
                a.into_iter().filter(|s| b.contains(s)).map(|s| smtlib::print(terms, s)).collect();
            // Instances 3 have their fresh symbols in common, and late ones begin with the same versions.
            assert!(
                shared.iter().all(|s| s.ends_with("@0") || s.ends_with("@9") || s.starts_with("any.")),
                "{shared:?}"
            );
        }
    }
    let fresh = |formula: Term| -> Vec<Term> {
        let is_fresh = |s: &Term| terms.symbol_name(terms.as_symbol(*s).unwrap().0).starts_with("any.");
        terms.free_symbols(formula).into_iter().filter(is_fresh).collect()
    };
    assert!(!fresh(first.formula).is_empty());
    assert!(fresh(first.formula).iter().all(|s| !fresh(second.formula).contains(s)));
    assert_eq!(fresh(first.formula), fresh(third.formula));
}

/// All symbols of the formulas, with the small values of a number in base 5.
fn assignment(terms: &Terms, formulas: &[Term], mut number: usize) -> FxHashMap<(SymbolId, u32), Value> {
    let mut symbols: Vec<Term> = formulas.iter().flat_map(|&formula| terms.free_symbols(formula)).collect();
    symbols.sort_unstable();
    symbols.dedup();
    let mut values = FxHashMap::default();
    for symbol in symbols {
        let digit = (number % 5) as i128 - 2;
        number /= 5;
        let value = match terms.sort(symbol) {
            Sort::Bool => Value::Bool(digit > 0),
            Sort::Int => Value::Int(digit.into()),
            Sort::Bv(width) => Value::Bv(width, digit as u128 & (u128::MAX >> (128 - u32::from(width)))),
            sort => panic!("no value of {sort:?}"),
        };
        values.insert(terms.as_symbol(symbol).unwrap(), value);
    }
    values
}

#[test]
fn or_means_disjunction() {
    let program = program(
        "int a, b, c; void f(void) { if (a > b) { c = a; if (b == 1) c++; else if (a) b = 2; }
         else { int t = __VERIFIER_nondet_int(); if (t) { a = t; } else return; } if (c) a++; }
         int main(void) { f(); }",
    );
    for encoding in [Encoding::Int, Encoding::BitVector] {
        let mut paths = paths(&program, encoding);
        let joins = body(&mut paths, "f").joins;
        assert!(joins.len() >= 3);
        for (parts, joined) in joins {
            let guards: Vec<Term> = parts.iter().map(|&part| paths.guard(part)).collect();
            for number in 0..3000 {
                let values = assignment(&paths.encoder.terms, &guards, number);
                let mut evaluator = Evaluator::new(&paths.encoder.terms, &values);
                let taken: Vec<PathId> = parts
                    .iter()
                    .copied()
                    .filter(|&p| evaluator.is_true(paths.guard(p)) == Some(true))
                    .collect();
                assert_eq!(evaluator.is_true(paths.guard(joined)), Some(!taken.is_empty()));
                let Some(&taken) = taken.first() else { continue };
                for cell in paths.changed(joined) {
                    let (all, one) = (paths.state(joined).get(cell), paths.state(taken).get(cell));
                    assert_eq!(evaluator.eval(all), evaluator.eval(one), "{}", paths.name_of(cell));
                }
            }
        }
    }
}

#[test]
fn sides_of_a_branch_exclude_each_other_even_if_the_condition_is_not_exact() {
    let program = program("int a, b, c; void f(void) { if (a & b) c = 1; } int main(void) { f(); }");
    let mut paths = paths(&program, Encoding::Int);
    let joins = body(&mut paths, "f").joins;
    let [(sides, joined)] = &joins[..] else { panic!("{joins:?}") };
    let (first, second) = (paths.guard(sides[0]), paths.guard(sides[1]));
    assert_eq!(paths.encoder.terms.not(first), second);
    assert_eq!(paths.guard(*joined), Terms::TRUE);
    assert!(!paths.approximations(sides[0]).is_empty());
    assert_eq!(paths.approximations(sides[0]), paths.approximations(sides[1]));
}

#[test]
fn a_path_and_its_extension_are_told_apart() {
    let program = program("int g; void f(void) { g = 1; } int main(void) { f(); }");
    let mut paths = paths(&program, Encoding::Int);
    let (start, ends) = (paths.block_entry(), body(&mut paths, "f").ends);
    let end = *ends.values().next().unwrap();
    let either = paths.or(start, end);
    assert_eq!(paths.or(end, start), either);
    expect![[r#"
        guard true
        g := (ite any.way@1 g@0 1)
        fact (and (<= (- 2147483648) g@0) (<= g@0 2147483647))
    "#]]
    .assert_eq(&paths.show(either));
}

#[test]
fn terms_go_to_versions_and_back() {
    let program = program(LOOP);
    let mut paths = paths(&program, Encoding::Int);
    let (head, round) = round(&mut paths);
    let entry = Ssa::zero(&paths.encoder.cells);
    let first = paths.instantiate(round.ends[&head], &entry, 0);
    let second = paths.instantiate(round.ends[&head], &first.exit, 1);
    // Guards speak of entry symbols only: they serve as predicates.
    for predicate in [paths.guard(round.ends[&head]), paths.guard(round.errors[0])] {
        for versions in [&entry, &first.exit, &second.exit] {
            let there = paths.instantiate_term(predicate, versions);
            assert_eq!(paths.uninstantiate(there, versions), Some(predicate));
        }
        let there = paths.instantiate_term(predicate, &first.exit);
        assert_ne!(there, predicate);
        assert_eq!(paths.uninstantiate(there, &second.exit), None);
    }
    let fresh = paths.encoder.terms.declare("any.s32", Sort::Int);
    let fresh = paths.encoder.terms.symbol(fresh, 0);
    assert_eq!(paths.uninstantiate(paths.encoder.terms.bool(true), &entry), Some(Terms::TRUE));
    let zero = paths.encoder.terms.int(0);
    let vague = paths.encoder.terms.eq(fresh, zero);
    assert_eq!(paths.uninstantiate(vague, &entry), None);
}

const SUM: &str = "int sum(int n) { if (n <= 0) return 0; int m = n; int r = sum(n - 1); return m + r; }
                   int main(void) { return sum(2); }";

#[test]
fn recursion_gives_back_the_callers_variables() {
    let program = program(SUM);
    let mut paths = paths(&program, Encoding::Int);
    // The argument is known, so the recursion ends by itself.
    let end = *body(&mut paths, "main").ends.values().next().unwrap();
    let result = paths.changed(end).into_iter().find(|&cell| paths.name_of(cell) == "main.__result").unwrap();
    assert_eq!(paths.guard(end), Terms::TRUE);
    assert_eq!(paths.encoder.terms.as_int(paths.state(end).get(result)), Some(&3.into()));
}

#[test]
fn recursion_across_a_block_entry_is_refused() {
    let program = program(SUM);
    let (cfa, facts) = &program;
    let mut paths = paths(&program, Encoding::Int);
    let sum = function(cfa, "sum");
    for &call in facts.calls.call_sites_of(sum) {
        let is_recursive = cfa.nodes[cfa.edges[call].from].function == sum;
        let start = paths.block_entry();
        let entered = paths.enter(start, call);
        assert!(paths.leave(entered, call).is_ok());
        let left = paths.leave(start, call).map_err(|error| error.to_string());
        // From outside of the recursion nothing is to be given back.
        assert_eq!(left.is_err(), is_recursive);
        assert!(left.is_ok() || left == Err("recursion across an abstraction point".to_string()));
    }
}

#[test]
fn a_function_is_a_relation() {
    let program = program(
        "int g, h, k; int add(int a) { int t = a + g; if (h) g = t; return t; }
         int main(void) { k = add(3); }",
    );
    let (cfa, facts) = &program;
    let mut paths = paths(&program, Encoding::Int);
    let (add, end) = (function(cfa, "add"), *body(&mut paths, "add").ends.values().next().unwrap());
    let relation = Relation::new(&mut paths, add, end);
    let names = |paths: &Paths<'_>, cells: &[summa_encode::CellId]| -> Vec<String> {
        cells.iter().map(|&cell| paths.name_of(cell).to_string()).collect()
    };
    let mut text = format!("inputs {:?}\n", names(&paths, &relation.inputs));
    text += &format!("outputs {:?}\n", names(&paths, &relation.outputs));
    let call = facts.calls.call_sites_of(add)[0];
    let (start, before) = (paths.block_entry(), Ssa::zero(&paths.encoder.cells));
    let entering = paths.enter(start, call);
    let entered = paths.instantiate(entering, &before, 0);
    let applied = relation.apply(&mut paths, &before, &entered.exit, 1);
    let receiving = paths.receive(start, call);
    let received = paths.instantiate(receiving, &applied.exit, 2);
    for formula in [entered.formula, applied.formula, received.formula] {
        text += &format!("{}\n", smtlib::print(&paths.encoder.terms, formula));
    }
    let kept = before.difference(&applied.exit).collect::<Vec<_>>();
    text += &format!("changed in the caller {:?}\n", names(&paths, &kept));
    expect![[r#"
        inputs ["g", "h", "add.a"]
        outputs ["g", "add.__result"]
        (= add.a@1 3)
        (let ((?0 (+ g@0 add.a@1))) (let ((?1 (ite (<= 2147483648 ?0) (+ g@0 add.a@1 (- 4294967296)) (ite (<= ?0 (- 2147483649)) (+ g@0 add.a@1 4294967296) ?0)))) (and (<= (- 2147483648) g@0) (<= g@0 2147483647) (<= (- 2147483648) h@0) (<= h@0 2147483647) (<= add.a@1 2147483647) (<= (- 2147483648) add.a@1) (= (ite (= h@0 0) g@0 ?1) g@2) (= ?1 add.__result@2))))
        (and (<= add.__result@2 2147483647) (<= (- 2147483648) add.__result@2) (= add.__result@2 k@3))
        changed in the caller ["g", "add.__result"]
    "#]].assert_eq(&text);
}

#[test]
fn a_call_that_is_not_entered_may_do_what_mod_ref_says() {
    let program = program("int g, h; int f(void) { g = h; return 1; } int main(void) { h = f(); return h; }");
    let (cfa, facts) = &program;
    let mut paths = paths(&program, Encoding::Int);
    let call = facts.calls.call_sites_of(function(cfa, "f"))[0];
    let start = paths.block_entry();
    let after = paths.edge(start, call);
    let what: Vec<String> = paths.approximations(after).into_iter().map(|a| a.what).collect();
    assert_eq!(what, ["a call that was not entered"]);
    let changed: Vec<&str> = paths.changed(after).into_iter().map(|cell| paths.name_of(cell)).collect();
    expect!["next object g h"].assert_eq(&changed.join(" "));
}

#[test]
fn names_of_cells_are_their_own() {
    let program = program(
        "struct { int s32; struct { int key; int *p; } in; } any; int main(void) {
           int x = 1; int *q = &x; { int x = *q; any.s32 = x; any.in.key = x; any.in.p = q; } return 0; }",
    );
    let paths = paths(&program, Encoding::Int);
    let cells = &paths.encoder.cells.cells;
    let mut names: Vec<&str> = cells.ids().map(|cell| paths.name_of(cell)).collect();
    expect![[r#"
        next object
        m0
        any.s32#c2
        any.in.key#c3
        any.in.p#c4
        any.in.p.offset#c5
        main.__result
        main.x
        main.q
        main.q.offset
        main.x#c10"#]]
    .assert_eq(&names.join("\n"));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cells.len());
}
