//! Terms of a million levels: nothing may use the stack of the host for them. Everything runs in a thread
//! with a small one.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use summa_base::FxHashMap;
use summa_term::{ArrayValue, Evaluator, FloatSort, Rounding, Sort, Term, Terms, Value, smtlib, to_c};

const DEPTH: u32 = 1_000_000;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(test).unwrap().join().unwrap();
}

fn symbol(terms: &mut Terms, name: &str, sort: Sort, version: u32) -> Term {
    let symbol = terms.declare(name, sort);
    terms.symbol(symbol, version)
}

/// Runs everything that walks through a term.
fn walk(
    terms: &mut Terms,
    term: Term,
    model: &FxHashMap<(summa_term::SymbolId, u32), Value>,
) -> Option<Value> {
    let value = Evaluator::new(terms, model).eval(term);
    let renamed = terms.rename_symbols(term, |symbol, version| (symbol, version + 1));
    assert_eq!(terms.free_symbols(term).len(), terms.free_symbols(renamed).len());
    assert!(terms.size(term) > 1);
    assert!(!smtlib::script(terms, &[]).is_empty());
    assert!(smtlib::print(terms, term).len() > 10);
    assert_eq!(to_c::to_c(terms, term, &|_, _| Some("x".into())), None);
    if terms.sort(term) == Sort::Bool {
        terms.atoms(term);
        terms.conjuncts(term);
        terms.nnf(term);
    }
    value
}

#[test]
fn arithmetic() {
    on_a_small_stack(|| {
        let mut t = Terms::new();
        let (x, y) = (symbol(&mut t, "x", Sort::Bv(32), 0), symbol(&mut t, "y", Sort::Bv(32), 0));
        let mut term = x;
        for _ in 0..DEPTH / 2 {
            let product = t.bv_mul(term, x);
            term = t.bv_add(product, y);
        }
        let model =
            [x, y].map(|symbol| (t.as_symbol(symbol).unwrap(), Value::Bv(32, 1))).into_iter().collect();
        assert_eq!(walk(&mut t, term, &model), Some(Value::Bv(32, u128::from(DEPTH / 2 + 1))));
    });
}

#[test]
fn invertible_operators_under_an_equation() {
    on_a_small_stack(|| {
        let mut t = Terms::new();
        let x = symbol(&mut t, "x", Sort::Bv(32), 0);
        let (one, two, zero) = (t.bv(32, 1), t.bv(32, 2), t.bv(32, 0));
        let mut term = x;
        for _ in 0..DEPTH / 2 {
            let flipped = t.bv_xor(term, two);
            term = t.bv_add(flipped, one);
        }
        let equation = t.eq(term, zero);
        let order = t.bv_ult(term, two);
        let model = FxHashMap::from_iter([(t.as_symbol(x).unwrap(), Value::Bv(32, 0))]);
        assert!(walk(&mut t, equation, &model).is_some());
        assert!(walk(&mut t, order, &model).is_some());
    });
}

#[test]
fn conditionals_under_comparisons() {
    on_a_small_stack(|| {
        let mut t = Terms::new();
        let int = symbol(&mut t, "x", Sort::Int, 0);
        let mut term = int;
        for version in 0..DEPTH {
            let condition = symbol(&mut t, "c", Sort::Bool, version);
            let constant = t.int(version);
            term = t.ite(condition, constant, term);
        }
        let limit = t.int(DEPTH / 2);
        let order = t.le(term, limit);
        let not = t.not(order);
        let equation = t.eq(term, limit);
        let formula = t.or(&[not, equation]);
        let model = FxHashMap::from_iter([(t.as_symbol(int).unwrap(), Value::Int(0.into()))]);
        walk(&mut t, formula, &model);
    });
}

#[test]
fn formulas() {
    on_a_small_stack(|| {
        let mut t = Terms::new();
        let mut term = symbol(&mut t, "p", Sort::Bool, 0);
        for version in 1..DEPTH / 4 {
            let p = symbol(&mut t, "p", Sort::Bool, version);
            let q = symbol(&mut t, "q", Sort::Bool, version);
            let either = t.or2(term, q);
            let both = t.and2(either, p);
            term = t.not(both);
        }
        let model = FxHashMap::default();
        assert_eq!(walk(&mut t, term, &model), None);
    });
}

#[test]
fn floats() {
    on_a_small_stack(|| {
        let mut t = Terms::new();
        let x = symbol(&mut t, "x", Sort::Float(FloatSort::F64), 0);
        let mut term = x;
        for _ in 0..DEPTH / 2 {
            let narrow = t.float_to_float(term, FloatSort::F32);
            term = t.float_to_float(narrow, FloatSort::F64);
            term = t.float_neg(term);
        }
        let rounded = t.float_round_to_integral(Rounding::Zero, term);
        let formula = t.float_is_nan(rounded);
        assert_eq!(t.size(formula), 2);
        let formula = t.float_le(rounded, x);
        let model = FxHashMap::from_iter([(t.as_symbol(x).unwrap(), Value::float(FloatSort::F64, 0))]);
        assert_eq!(walk(&mut t, formula, &model), Some(Value::Bool(true)));
    });
}

#[test]
fn writes() {
    on_a_small_stack(|| {
        let mut t = Terms::new();
        let sort = t.array_of(Sort::Int, Sort::Int);
        let memory = symbol(&mut t, "m", sort, 0);
        let mut term = memory;
        for version in 0..DEPTH / 4 {
            let index = symbol(&mut t, "i", Sort::Int, version);
            let value = t.int(version);
            term = t.store(term, index, value);
        }
        let at = t.int(-1);
        let read = t.select(term, at);
        let limit = t.int(5);
        let formula = t.eq(read, limit);
        let mut model: FxHashMap<_, _> = (0..DEPTH / 4)
            .map(|version| {
                let index = t.declare("i", Sort::Int);
                ((index, version), Value::Int(version.into()))
            })
            .collect();
        let zero = || Value::Int(0.into());
        model.insert(t.as_symbol(memory).unwrap(), Value::Array(ArrayValue::new(zero(), []).into()));
        assert_eq!(walk(&mut t, formula, &model), Some(Value::Bool(false)));
    });
}
