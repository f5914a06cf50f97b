//! The value domain against execution: along the moves of a run the abstract state has a successor, and all
//! that it claims is so. Under full precision, and under precisions by chance.
//!
//! Programs: those of the conformance suite and of `tests/programs`, and the task set (`SUMMA_TASKS`), of
//! which `SUMMA_TASKS_STEP` says every how many-th is taken; with zero and random inputs.

#![allow(clippy::print_stderr, reason = "tests say what they found")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use summa_base::{Id, IdSet};
use summa_c::types::DataModel;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_cpa::{Arrival, Cpa, Move, Step};
use summa_domains::value::{CellId, Constant, Options, Precision, Value, Values};
use summa_facts::Analyses;
use summa_interp::{
    FaultKind, FaultSet, InputSource, ObjectOrigin, Observer, Pointer, Policy, Random, Value as Concrete,
    View, Zeros,
};
use summa_testkit::{KNOBS, programs_in, read, tasks};

const MAX_STEPS: u64 = 1500;

/// Follows a run with the domain.
struct Follower<'a> {
    domain: Value<'a>,
    precision: Precision,
    /// None once the run passed where the abstract one could not.
    state: Option<Values>,
    compared: usize,
    failures: Vec<String>,
}

impl<'a> Follower<'a> {
    fn new(cfa: &'a Cfa, facts: &'a Analyses, precision: Option<u64>) -> Self {
        let mut domain = Value::new(cfa, facts, Options::default());
        let cells = domain.semantics.cells.len();
        let precision = match precision {
            None => Precision::everything(),
            Some(seed) => {
                let is_chosen =
                    |i: &usize| (*i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(seed) >> 62 != 0;
                let chosen: IdSet<CellId> = (0..cells).filter(is_chosen).map(CellId::from_index).collect();
                Precision::of(chosen)
            }
        };
        let (state, _) = domain.initial(cfa.entry());
        Self { domain, precision, state: Some(state), compared: 0, failures: Vec::new() }
    }

    fn go(&mut self, by: Move) {
        let Some(state) = self.state.take() else { return };
        let mut successors = self.domain.transfer(&state, &self.precision, by).unwrap();
        assert!(successors.len() <= 1);
        let arrival = Arrival { node: by.to, by: Some(by), is_target: false };
        let next =
            successors.pop().and_then(|next| self.domain.prec(next, &self.precision, &arrival).unwrap());
        match next {
            Some((next, _)) => self.state = Some(next),
            None => {
                let text = by.text(self.domain.semantics.cfa);
                let before = self.domain.show(&state);
                self.failures.push(format!("the run passes `{text}`, the domain does not, from {before}"));
            }
        }
    }

    /// Everything that the state claims about what the running function sees must be so.
    fn check(&mut self, edge: EdgeId, view: &View<'_>) {
        let Some(state) = &self.state else { return };
        for (cell, claimed) in state.iter() {
            let Some(found) = self.found(cell, claimed, view) else { continue };
            self.compared += 1;
            if !found {
                let program = &self.domain.semantics.cfa.program;
                let text = self.domain.semantics.cfa.edges[edge].op.text(program);
                let name = self.domain.semantics.cells.name(program, cell);
                let var = self.domain.semantics.cells.get(cell).var;
                let what =
                    format!("behind `{text}`: {name} = {claimed:?}, the run has {:?}", view.variable(var));
                self.failures.push(what);
            }
        }
    }

    /// Is the claim about the cell true? None if the run cannot tell.
    fn found(&self, cell: CellId, claimed: Constant, view: &View<'_>) -> Option<bool> {
        let semantics = &self.domain.semantics;
        let (types, part) = (&semantics.cfa.program.types, semantics.cells.get(cell));
        if !types.is_scalar(semantics.cfa.program.vars[part.var].ty) {
            let is_claimed = |bits: u128| match claimed {
                Constant::NonZero => Some(bits != 0),
                claimed => Some(bits == claimed.bits()?),
            };
            let address = view.address(part.var)?;
            let (first, last) = (part.at / 8, (part.at + u64::from(part.width)).div_ceil(8));
            let mut bits = 0u128;
            for byte in (first..last).rev() {
                let Concrete::Int(value) = view.at(address + byte, types.char) else { return None };
                // A bit-field may begin in the middle of a byte; none is wider than the rest of 16 bytes.
                bits = bits.checked_shl(8)? | (value as u128 & 0xff);
            }
            let bits = bits >> (part.at % 8);
            let bits = if part.width >= 128 { bits } else { bits & ((1 << part.width) - 1) };
            return is_claimed(bits);
        }
        Some(match (view.variable(part.var), claimed) {
            (Concrete::Int(value), Constant::NonZero) => (value as u128) << (128 - part.width) != 0,
            (Concrete::Pointer(pointer), Constant::NonZero) => pointer != Pointer::Null,
            (Concrete::Float { .. }, Constant::NonZero) => return None,
            (Concrete::Int(value), Constant::Int(bits)) => (value as u128 ^ bits) << (128 - part.width) == 0,
            (Concrete::Float { bits, kind }, Constant::Float(other, claimed)) => {
                let is_nan =
                    |bits| !summa_c::float::compare(summa_c::tree::BinaryOp::Eq, kind, bits, bits).unwrap();
                kind == other
                    && (bits << (128 - part.width) == claimed << (128 - part.width)
                        || is_nan(bits) && is_nan(claimed))
            }
            (Concrete::Float { bits, .. }, Constant::Int(claimed)) => bits == claimed,
            (Concrete::Int(value), Constant::Float(_, claimed)) => {
                (value as u128 ^ claimed) << (128 - part.width) == 0
            }
            (Concrete::Pointer(Pointer::Null), claimed) => claimed == Constant::ZERO,
            (Concrete::Pointer(Pointer::Function(function)), claimed) => {
                claimed == Constant::Function(function)
            }
            (
                Concrete::Pointer(Pointer::Object { origin: ObjectOrigin::Variable(var), offset }),
                Constant::Address { var: other, offset: claimed },
            ) => var == other && offset == claimed,
            (Concrete::Pointer(_), Constant::Int(0)) => false,
            (Concrete::Pointer(_), _) => return None,
            (Concrete::Int(_), Constant::Address { .. } | Constant::Function(_)) => return None,
            (Concrete::Aggregate | Concrete::Uninitialised | Concrete::Unknown, _) => return None,
            _ => false,
        })
    }

    fn is_done(&self) -> bool {
        !self.failures.is_empty()
    }
}

impl Observer for Follower<'_> {
    fn before(&mut self, edge: EdgeId, _: &View<'_>) {
        if !self.is_done() {
            self.go(Move::along(self.domain.semantics.cfa, edge));
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.is_done() {
            return;
        }
        if let Some(back) = Move::back(self.domain.semantics.cfa, edge) {
            self.go(back);
        }
        self.check(edge, view);
    }
}

fn follow(cfa: &Cfa, name: &str) -> usize {
    let facts = Analyses::new(cfa);
    let program = summa_interp::Program::new(cfa);
    let mut policy = Policy { max_steps: MAX_STEPS, ..Policy::reachability() };
    policy.stop = FaultSet::of(&[FaultKind::UninitialisedRead]);
    let mut compared = 0;
    for seed in 0..4 {
        let mut inputs: Box<dyn InputSource> =
            if seed == 0 { Box::new(Zeros) } else { Box::new(Random::new(seed)) };
        let mut follower = Follower::new(cfa, &facts, (seed % 2 == 1).then_some(seed));
        summa_interp::run_observed(&program, &mut *inputs, &policy, &mut follower);
        assert!(follower.failures.is_empty(), "{name}, run {seed}: {}", follower.failures[0]);
        compared += follower.compared;
    }
    compared
}

#[test]
fn runs_of_programs_are_in_their_abstraction() {
    let folders = [
        "tests/conformance",
        "tests/programs/language",
        "tests/programs/memory",
        "tests/programs/overflow",
        "tests/programs/reachability",
        "tests/programs/assumptions",
        "crates/encode/tests/programs",
    ];
    let mut compared = 0;
    for path in programs_in(&folders) {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            compared += read(&path, model).map_or(0, |cfa| follow(&cfa, &path.display().to_string()));
        }
    }
    eprintln!("{compared} values compared");
    assert!(compared > 10_000, "only {compared} values compared");
}

#[test]
fn runs_of_tasks_are_in_their_abstraction() {
    let Some(tasks) = tasks() else { return };
    let step = KNOBS.tasks_step.or(8) as usize;
    let mut compared = 0;
    for task in tasks.iter().step_by(step) {
        compared +=
            read(&task.path, task.model).map_or(0, |cfa| follow(&cfa, &task.path.display().to_string()));
    }
    eprintln!("{compared} values compared");
}

fn build(source: &str) -> Cfa {
    let loaded = summa_c::load::load_text("test.c", source, DataModel::Lp64).unwrap();
    summa_transform::build(loaded.program, &summa_cfa::BuildOptions::default()).unwrap()
}

/// What the laws live on: calls, recursion, pointers, parts of objects, learning from conditions.
#[test]
fn small_programs_with_sharp_corners() {
    let sources = [
        "int f(int n) { int k = n; if (n > 0) { f(n - 1); } return k; } int g; \
         int main() { g = f(3); return g; }",
        "struct s { int a; char b[3]; unsigned c : 3, d : 5; }; \
         int main() { struct s x = {1, {2, 3, 4}, 5, 6}, y; \
         y = x; y.b[1] = 9; x.c = 11; y.d += 3; int *p = &y.a; *p = 77; return y.a + x.c + y.d; }",
        "union u { int i; unsigned char c[4]; float f; }; int main() { union u v; v.f = 1.5f; \
         int a = v.i; v.c[1] = 7; \
         return v.i + a + v.c[3]; }",
        "int nondet(void); int a[4]; int main() { int i = nondet(); a[1] = 5; if (i >= 0 && i < 4) a[i] = 3; \
         unsigned char c = (unsigned char)nondet(); if (c + 1 == 1) return c; \
         if (!(c != 200)) return c + a[1]; return a[2]; }",
        "int x, y; int *p; void set(int **q, int *r) { *q = r; } int main() { set(&p, &x); *p = 4; \
         set(&p, &y); *p = x + 1; \
         { int z = 8; p = &z; *p = 9; } p = 0; return x + y; }",
        "_Bool b; int nondet(void); int main() { b = nondet(); if (b) return b + 1; double d = 0.1; \
         float f = d; d = f; \
         long double l = d * 3; return l > 0.3; }",
        "int even(int); int odd(int n) { int m = n - 1; return n == 0 ? 0 : even(m); } \
         int even(int n) { int m = n - 1; return n == 0 ? 1 : odd(m); } int main() { return even(7); }",
        "int fact(int n) { int *q; int loc = n; q = &loc; if (n <= 1) return *q; int r = fact(n - 1); \
         return r * *q; } \
         int main() { return fact(5); }",
        "int abs(int); int main() { int x = -5; int y = abs(x); \
         y += __builtin_popcount(255) + __builtin_clz(1); \
         const char *s = \"hey\"; return y + s[1]; }",
    ];
    for (number, source) in sources.iter().enumerate() {
        let cfa = build(source);
        assert!(follow(&cfa, &format!("source {number}")) > 0);
    }
}

/// Edges that are calls of a function with an automaton always come as two moves.
#[test]
fn moves_of_calls_come_in_pairs() {
    let text = "int f(void) { return 3; } int main() { return f(); }";
    let cfa = build(text);
    for (id, edge) in cfa.edges.iter() {
        if matches!(edge.op, Op::Call { .. }) {
            assert!(matches!(Move::along(&cfa, id).step, Step::Enter(_)));
            assert!(Move::back(&cfa, id).is_some());
        }
    }
}
