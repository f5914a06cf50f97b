//! Inputs that decide nothing: what they are flows into no condition, address, or operation that could fail.
//!
//! `srand(time(NULL))` asks the world for a number and never looks at it. An execution with one such number
//! stands for the executions with all others.
//!
//! A variable is *looked at* if its value can matter to anything but variables that are not looked at. The
//! variables that are looked at are the least set with this property: whatever an edge reads is looked at,
//! unless the edge only moves it into a variable that is not, or into the seed of random numbers. The value
//! that is moved may be converted between integers, and nothing else. Order and calling contexts are not
//! looked at.

use crate::call_graph::CallGraph;
use crate::effects::{Effects, Touch, touched};
use crate::loops::Loops;
use crate::once::Once;
use summa_base::{Csr, IdSet, graph};
use summa_c::tree::{ExprId, ExprKind, FuncId, PlaceId, PlaceKind, Program, VarId};
use summa_cfa::library::{Model, State, model};
use summa_cfa::{Cfa, EdgeId, Op};

/// Which inputs and results of unknown functions decide nothing.
#[derive(Debug)]
pub struct Idle {
    /// The edges on which they arrive.
    pub edges: IdSet<EdgeId>,
    /// The seed of random numbers is one of them, and set at most once. So nothing is known of the numbers
    /// that follow from it.
    pub hides_seed: bool,
}

impl Idle {
    pub fn new(cfa: &Cfa) -> Self {
        let looked_at = looked_at(cfa);
        let program = &cfa.program;
        let is_hidden =
            |place: PlaceId| whole_variable(program, place).is_some_and(|var| !looked_at.contains(var));
        let arrives = |edge: &EdgeId| match cfa.edge(*edge).op {
            Op::Havoc { place, .. } => is_hidden(place),
            Op::External { result, .. } => result.is_some_and(is_hidden),
            _ => false,
        };
        let edges: IdSet<EdgeId> = cfa.edges.ids().filter(arrives).collect();
        let hides_seed = hides_seed(cfa, &edges);
        Self { edges, hides_seed }
    }
}

/// Does every seed come from outside, and is it set at most once?
fn hides_seed(cfa: &Cfa, idle: &IdSet<EdgeId>) -> bool {
    let exprs = &cfa.program.exprs;
    let is_seed = |edge: &EdgeId| match cfa.edge(*edge).op {
        Op::External { callee, .. } => sets_seed(&cfa.program, callee),
        _ => false,
    };
    let mut seeds = cfa.edges.ids().filter(is_seed);
    let (Some(seed), None) = (seeds.next(), seeds.next()) else { return false };
    let (calls, loops) = (CallGraph::new(cfa), Loops::new(cfa));
    if !Once::new(cfa, &calls, &loops).is_once(cfa, &loops, seed) {
        return false;
    }
    let Op::External { args, .. } = &cfa.edge(seed).op else { return false };
    let &[arg] = args.as_slice() else { return false };
    // The argument is a variable with no other source than the world.
    let Some(var) = moved(&cfa.program, arg).and_then(|value| match exprs.expr(value).kind {
        ExprKind::Load(place) => whole_variable(&cfa.program, place),
        _ => None,
    }) else {
        return false;
    };
    let writes =
        |edge: &EdgeId| cfa.edge(*edge).op.written().is_some_and(|place| exprs.root(place) == Some(var));
    cfa.edges.ids().filter(writes).all(|edge| idle.contains(edge))
}

fn sets_seed(program: &Program, callee: FuncId) -> bool {
    program.functions[callee].body.is_none()
        && matches!(model(program.func_name(callee)), Some(Model::State(State::Seed)))
}

/// The variables whose values can matter.
fn looked_at(cfa: &Cfa) -> IdSet<VarId> {
    let (program, effects) = (&cfa.program, Effects::new(cfa));
    let mut seeds: Vec<VarId> = Vec::new();
    // From a variable to those that are moved into it.
    let mut moves: Vec<(VarId, VarId)> = Vec::new();
    for edge in cfa.edges.ids() {
        let target = match &cfa.edge(edge).op {
            Op::Assign { place, value } if moved(program, *value).is_some() => {
                whole_variable(program, *place).map(Some)
            }
            Op::External { result: None, callee, args } if sets_seed(program, *callee) => {
                args.iter().all(|&arg| moved(program, arg).is_some()).then_some(None)
            }
            _ => None,
        };
        for &effect in effects.of(edge) {
            match (touched(&program.exprs, effect), target) {
                (Some((Touch::Read, var)), Some(Some(target))) => moves.push((target, var)),
                (Some((Touch::Read, _)), Some(None)) => {}
                (Some((Touch::Read | Touch::Address, var)), _) => seeds.push(var),
                (Some((Touch::Write | Touch::Receive, _)) | None, _) => {}
            }
        }
    }
    let moves = Csr::new(program.vars.len(), moves.iter().copied());
    graph::reachable(seeds.iter().copied(), |var| &moves[var])
}

fn whole_variable(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.exprs.place(place).kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    }
}

/// What is moved, if the value is an integer variable or constant, perhaps converted to other integers.
fn moved(program: &Program, mut value: ExprId) -> Option<ExprId> {
    let (exprs, types) = (&program.exprs, &program.types);
    loop {
        if !types.is_integer(exprs.type_of(value)) {
            return None;
        }
        match exprs.expr(value).kind {
            ExprKind::Cast(inner) => value = inner,
            ExprKind::Int(_) => return Some(value),
            ExprKind::Load(place) => return whole_variable(program, place).map(|_| value),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Idle;

    const HEADER: &str = "long time(long *); void srand(unsigned); int rand(void); int world(void);
                          int __VERIFIER_nondet_int(void); ";

    fn idle(body: &str) -> (Vec<String>, bool) {
        let cfa = summa_testkit::automata(&format!("{HEADER} {body}"));
        let idle = Idle::new(&cfa);
        (idle.edges.iter().map(|edge| cfa.edge(edge).op.text(&cfa.program)).collect(), idle.hides_seed)
    }

    #[test]
    fn a_seed_is_not_looked_at() {
        let (edges, hides) = idle("int main(void) { srand((unsigned)time(0)); return rand() > 3; }");
        assert_eq!((edges.len(), hides), (1, true), "{edges:?}");
        let twice = "int main(void) { for (int i = 0; i < 2; i++) srand(time(0)); return rand() > 3; }";
        assert!(!idle(twice).1);
        let (edges, hides) = idle("int main(void) { long t = time(0); srand(t); return t > 3; }");
        assert_eq!((edges, hides), (vec![], false));
        let (edges, hides) =
            idle("int main(void) { int t = 3; if (rand() > 3) t = time(0); srand(t); return 0; }");
        assert_eq!((edges.len(), hides), (1, false), "{edges:?}");
    }

    #[test]
    fn whatever_else_happens_to_an_input_is_a_look() {
        for look in [
            "if (x) return 1;",
            "int y = 3 / x;",
            "int y = x + 1; ",
            "int a[2]; a[x] = 1;",
            "return x;",
            "int *p = &x; world();",
            "float f = x;",
            "int a[x];",
            "int y = x; int z = y; if (z) return 1;",
        ] {
            let (edges, _) = idle(&format!("int main(void) {{ int x = world(); {look} return 0; }}"));
            let found = edges.iter().any(|text| text.contains("world"));
            let is_unused = look.starts_with("int *p");
            assert!(!found || is_unused, "{look}: {edges:?}");
        }
        let (edges, _) = idle("int main(void) { int x = world(); long y = x; short z = y; return 0; }");
        assert_eq!(edges.len(), 1);
        let (edges, _) = idle("int main(void) { int x = __VERIFIER_nondet_int(); return 0; }");
        assert_eq!(edges.len(), 1);
    }
}
