//! Programs made by hand, which the front end never makes, or only indirectly.

use super::*;
use crate::cfa::{EdgeId, NodeId, Op};
use crate::verify::verify;
use expect_test::{Expect, expect};
use summa_base::{Id, IdVec, Interner};
use summa_c::tree::{
    BinaryOp, Body, BranchOrigin, Call, Callee, ExprId, Exprs, Function, Label, LabelId, PlaceId, Stmt,
    StmtKind, VarKind, Variable,
};
use summa_c::types::{DataModel, FunctionType, Type, TypeId, Types};

fn build_once(program: Program) -> Result<Built, BuildError> {
    build_with(program, &BuildOptions::default(), &Discovered::default())
}

/// A program under construction; every function has type `int (void)` unless said otherwise.
struct Maker {
    program: Program,
}

impl Maker {
    fn new() -> Self {
        let types = Types::new(DataModel::Lp64);
        let (exprs, names) = (Exprs::default(), Interner::new());
        let (vars, functions, assumptions) = (IdVec::new(), IdVec::new(), Vec::new());
        Self {
            program: Program {
                types,
                exprs,
                vars,
                functions,
                names,
                assumptions,
                constructors: Vec::new(),
                destructors: Vec::new(),
            },
        }
    }

    fn function(&mut self, name: &str, params: &[TypeId]) -> FuncId {
        let p = &mut self.program;
        let ty = FunctionType {
            result: p.types.int,
            params: params.into(),
            is_variadic: false,
            is_prototype: true,
        };
        let ty = p.types.intern(Type::Function(ty));
        let name = p.names.intern(name);
        let (span, params) = (Span::NONE, Vec::new());
        p.functions.push(Function {
            name,
            ty,
            span,
            is_static: false,
            is_noreturn: false,
            is_weak: false,
            params,
            result: None,
            body: None,
        })
    }

    fn define(&mut self, function: FuncId, labels: usize, stmts: Vec<StmtKind>) {
        let result = self.var("result", self.program.types.int, VarKind::Return(function));
        let label = Label { name: None, span: Span::NONE };
        let body = Body { stmts: list(stmts), labels: (0..labels).map(|_| label).collect(), end: Span::NONE };
        let f = &mut self.program.functions[function];
        (f.result, f.body) = (Some(result), Some(body));
    }

    fn var(&mut self, name: &str, ty: TypeId, kind: VarKind) -> VarId {
        let name = self.program.names.intern(name);
        self.program.vars.push(Variable::new(name, ty, kind, Span::NONE))
    }

    fn place(&mut self, var: VarId) -> PlaceId {
        self.program.exprs.var(var, self.program.vars[var].ty)
    }

    fn load(&mut self, var: VarId) -> ExprId {
        let place = self.place(var);
        self.program.exprs.load(place)
    }

    fn int(&mut self, value: i128) -> ExprId {
        self.program.exprs.int(&self.program.types, self.program.types.int, value)
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.program.exprs.intern(ExprKind::Binary(op, a, b), self.program.types.int)
    }

    fn address(&mut self, var: VarId) -> ExprId {
        let place = self.place(var);
        let ty = self.program.types.pointer_to(self.program.vars[var].ty);
        self.program.exprs.intern(ExprKind::Addr(place), ty)
    }

    fn build(self) -> Cfa {
        build_once(self.program).unwrap().cfa
    }
}

fn list(kinds: Vec<StmtKind>) -> Vec<Stmt> {
    kinds.into_iter().map(|kind| Stmt { kind, span: Span::NONE }).collect()
}

fn branch(condition: ExprId, then: Vec<StmtKind>, otherwise: Vec<StmtKind>) -> StmtKind {
    StmtKind::If { condition, then: list(then), otherwise: list(otherwise), origin: BranchOrigin::If }
}

fn call(callee: FuncId, result: Option<PlaceId>, args: Vec<ExprId>) -> StmtKind {
    StmtKind::Call(Call { result, callee: Callee::Direct(callee), args })
}

fn label(i: usize) -> LabelId {
    LabelId::from_index(i)
}

/// The edges of a function, a line each.
fn show(cfa: &Cfa, name: &str) -> String {
    let function = cfa.program.find_function(name).unwrap();
    let automaton = cfa.automaton(function).unwrap();
    let mut out = String::new();
    for id in automaton.edge_ids() {
        let edge = cfa.edge(id);
        let local = |node: NodeId| node.index() - automaton.nodes.start as usize;
        let kind = cfa.nodes[edge.from].kind;
        let kind = if kind == crate::cfa::NodeKind::Plain { String::new() } else { format!(" {kind:?}") };
        out += &format!("{}{kind} -> {}: {}\n", local(edge.from), local(edge.to), edge.op.text(&cfa.program));
    }
    out
}

fn check(maker: Maker, expected: Expect) {
    expected.assert_eq(&show(&maker.build(), "main"));
}

#[test]
fn a_loop_left_by_goto() {
    let mut m = Maker::new();
    let main = m.function("main", &[]);
    let x = m.var("x", m.program.types.int, VarKind::Local(main));
    let (place, load, ten, one) = (m.place(x), m.load(x), m.int(10), m.int(1));
    let less = m.binary(BinaryOp::Lt, load, ten);
    let next = m.binary(BinaryOp::Add, load, one);
    m.define(
        main,
        1,
        vec![
            StmtKind::Declare(x),
            StmtKind::Loop(list(vec![
                branch(less, vec![], vec![StmtKind::Goto(label(0))]),
                StmtKind::Assign(place, next),
            ])),
            StmtKind::Label(label(0)),
            StmtKind::Return(Some(load)),
        ],
    );
    check(
        m,
        expect![[r#"
            0 Entry -> 1: int x;
            1 LoopHead -> 2: [x < 10]
            1 LoopHead -> 3: [x >= 10]
            2 -> 1: x = x + 1;
            3 -> 4: return x;
        "#]],
    );
}

#[test]
fn lifetimes_end_where_blocks_are_left() {
    let mut m = Maker::new();
    let main = m.function("main", &[]);
    let int = m.program.types.int;
    let int_ptr = m.program.types.pointer_to(int);
    let p = m.var("p", int_ptr, VarKind::Local(main));
    let x = m.var("x", int, VarKind::Local(main));
    let y = m.var("y", int, VarKind::Local(main));
    let (p_place, address, y_value) = (m.place(p), m.address(x), m.load(y));
    m.define(
        main,
        1,
        vec![
            StmtKind::Declare(p),
            StmtKind::Block(list(vec![
                StmtKind::Declare(x),
                StmtKind::Declare(y),
                StmtKind::Assign(p_place, address),
                branch(y_value, vec![StmtKind::Goto(label(0))], vec![]),
                StmtKind::Zero(p_place),
            ])),
            StmtKind::Label(label(0)),
        ],
    );
    // Both ways out of the block end `x`, whose address is taken, and neither ends `y`.
    check(
        m,
        expect![[r#"
            0 Entry -> 1: int *p;
            1 -> 2: int x;
            2 -> 3: int y;
            3 -> 4: p = &x;
            4 -> 5: [y != 0]
            4 -> 6: [y == 0]
            5 -> 8: end of x;
            6 -> 7: p = {0};
            7 -> 8: end of x;
            8 -> 9: return 0;
        "#]],
    );
}

#[test]
fn calls_by_the_table() {
    let mut m = Maker::new();
    let int = m.program.types.int;
    let main = m.function("main", &[]);
    let x = m.var("x", int, VarKind::Local(main));
    let (place, value) = (m.place(x), m.load(x));
    let nondet = m.function("__VERIFIER_nondet_bool", &[]);
    let assume = m.function("__VERIFIER_assume", &[int]);
    let assert = m.function("__CPROVER_assert", &[int]);
    let log = m.function("log_it", &[int]);
    let error = m.function("reach_error", &[]);
    m.define(error, 0, vec![]);
    m.define(
        main,
        0,
        vec![
            call(nondet, Some(place), vec![]),
            call(nondet, None, vec![]),
            call(assume, None, vec![value]),
            call(assert, None, vec![value]),
            call(log, None, vec![value]),
            call(log, None, vec![value]),
            call(error, None, vec![]),
        ],
    );
    let cfa = m.build();
    expect![[r#"
        0 Entry -> 1: input = __VERIFIER_nondet_bool();
        1 -> 2: x = (int)input;
        2 -> 3: input = __VERIFIER_nondet_bool();
        3 -> 4: [x != 0]
        3 -> 10: [x == 0]
        4 -> 5: [x != 0]
        4 -> 8: [x == 0]
        5 -> 6: log_it(x);
        6 -> 7: log_it(x);
        7 -> 9: reach_error(); // error
        8 -> 9: assertion fails // error
        10 -> 11: the assumption fails
    "#]]
    .assert_eq(&show(&cfa, "main"));
    assert_eq!(cfa.assumptions.len(), 1, "{:?}", cfa.assumptions);
}

#[test]
fn wrong_calls_are_unsupported() {
    let mut m = Maker::new();
    let int = m.program.types.int;
    let main = m.function("main", &[]);
    let (f, malloc, qsort) = (m.function("f", &[]), m.function("malloc", &[int]), m.function("qsort", &[]));
    let param = m.var("a", int, VarKind::Param(f));
    m.program.functions[f].params = vec![param];
    m.define(f, 0, vec![]);
    let double = m.program.types.double;
    let float = m.program.exprs.intern(ExprKind::Float(0), double);
    let one = m.int(1);
    m.define(
        main,
        0,
        vec![
            branch(one, vec![call(f, None, vec![])], vec![call(f, None, vec![float])]),
            branch(one, vec![call(malloc, None, vec![float])], vec![call(qsort, None, vec![])]),
        ],
    );
    let cfa = m.build();
    let whats: Vec<String> = cfa
        .edges
        .values()
        .filter_map(|edge| match &edge.op {
            Op::Unsupported { what } => Some(what.to_string()),
            _ => None,
        })
        .collect();
    // The second branch is not reachable: both sides of the first end.
    expect![[r#"
        [
            "call of `f` with 0 arguments for 1 parameters",
            "argument 1 of the call of `f` does not fit its parameter",
        ]
    "#]]
    .assert_debug_eq(&whats);
}

#[test]
fn an_endless_empty_loop_stays_one() {
    let mut m = Maker::new();
    let main = m.function("main", &[]);
    m.define(main, 1, vec![StmtKind::Label(label(0)), StmtKind::Goto(label(0))]);
    check(
        m,
        expect![[r#"
            0 Entry -> 1: 
            1 -> 1: 
        "#]],
    );
}

#[test]
fn a_hundred_thousand_nested_branches_do_not_overflow_the_stack() {
    let mut m = Maker::new();
    let main = m.function("main", &[]);
    let x = m.var("x", m.program.types.int, VarKind::Local(main));
    let value = m.load(x);
    let mut nested = StmtKind::Declare(x);
    for _ in 0..100_000 {
        nested = branch(value, vec![], vec![nested]);
    }
    m.define(main, 0, vec![nested]);
    let mut program = m.program;
    let main = program.find_function("main").unwrap();
    // Dropping the nested statements would recurse: that is the front end's limit, not ours.
    let body = program.functions[main].body.take().unwrap();
    let mut context = Context {
        program,
        defined: IdSet::new(),
        addressed: IdSet::new(),
        error_functions: IdSet::new(),
        references: References::default(),
        assumptions: Vec::new(),
        assumed: FxHashSet::default(),
        outside: FxHashMap::default(),
        discovered: Discovered::default(),
        met: Met::default(),
        hidden: Hidden::default(),
        environment: Environment::default(),
    };
    let graph = function::build(&mut context, main, &body, true).finish();
    std::mem::forget(body);
    assert_eq!(graph.edges.len(), 200_002);
}

#[test]
fn a_missing_entry_is_a_clear_error() {
    let mut m = Maker::new();
    let main = m.function("mian", &[]);
    m.define(main, 0, vec![]);
    m.function("main", &[]);
    let error = build_once(m.program).unwrap_err();
    expect!["the entry function `main` is declared but has no body; did you mean `mian`?"]
        .assert_eq(&error.to_string());
}

#[test]
fn the_check_finds_what_is_broken() {
    let make = || {
        let mut m = Maker::new();
        let main = m.function("main", &[]);
        let other = m.function("other", &[]);
        let x = m.var("x", m.program.types.int, VarKind::Local(main));
        let y = m.var("y", m.program.types.int, VarKind::Local(other));
        let (place, value) = (m.place(x), m.load(y));
        m.program.exprs.intern(ExprKind::Cast(value), m.program.types.char);
        m.define(main, 0, vec![StmtKind::Zero(place)]);
        (m.build(), place, value)
    };
    let broken = |change: &dyn Fn(&mut Cfa, PlaceId, ExprId)| {
        let (mut cfa, place, value) = make();
        assert_eq!(verify(&cfa), Ok(()));
        change(&mut cfa, place, value);
        verify(&cfa).unwrap_err().into_iter().map(|violation| violation.rule).collect::<Vec<_>>()
    };
    let zero = EdgeId::from_index(0);
    assert_eq!(broken(&|cfa, place, value| cfa.edges[zero].op = Op::Assign { place, value }), [9]);
    assert_eq!(broken(&|cfa, _, _| cfa.edges[zero].op = Op::Return { value: None }), [7]);
    assert_eq!(
        broken(&|cfa, place, _| {
            let exprs = &cfa.program.exprs;
            let cast = exprs.expr_ids().find(|&id| matches!(exprs.expr(id).kind, ExprKind::Cast(_))).unwrap();
            cfa.edges[zero].op = Op::Assign { place, value: cast };
        }),
        [9, 10]
    );
    assert_eq!(
        broken(&|cfa, _, _| cfa.nodes[NodeId::from_index(1)].kind = crate::cfa::NodeKind::End),
        [4, 7]
    );
    assert_eq!(broken(&|cfa, _, _| cfa.edges[zero].to = NodeId::from_index(0)), [3]);
    assert_eq!(
        broken(&|cfa, _, value| {
            let ty = cfa.program.types.double;
            let bad = cfa.program.exprs.intern(ExprKind::Unary(summa_c::tree::UnaryOp::BitNot, value), ty);
            let origin = crate::cfa::AssumeOrigin::Assumption;
            cfa.edges[zero].op = Op::Assume { condition: bad, truth: true, origin };
        }),
        [6, 8, 9, 10]
    );
}
