//! Evaluation under assignments that do not give every symbol a value, and of what has no value.

use summa_base::FxHashMap;
use summa_term::{
    ArrayValue, Assignment, FunctionId, Op, Quantifier, Sort, SymbolId, Term, Terms, Value, semantics,
};

fn int(value: i64) -> Value {
    Value::Int(value.into())
}

fn symbols<const N: usize>(terms: &mut Terms, sort: Sort, names: [&str; N]) -> [Term; N] {
    names.map(|name| {
        let symbol = terms.declare(name, sort);
        terms.symbol(symbol, 0)
    })
}

#[test]
fn unknown_symbols_count_only_where_they_decide() {
    let mut t = Terms::new();
    let [p, q] = symbols(&mut t, Sort::Bool, ["p", "q"]);
    let [x, y] = symbols(&mut t, Sort::Int, ["x", "y"]);
    let model = |p_value: bool| {
        let known = [(p, Value::Bool(p_value)), (x, int(0))];
        known
            .into_iter()
            .map(|(term, value)| (t.as_symbol(term).unwrap(), value))
            .collect::<FxHashMap<_, _>>()
    };
    let (yes, no) = (model(true), model(false));
    let (both, either) = (t.and2(p, q), t.or2(p, q));
    assert_eq!(t.eval(both, &no), Some(Value::Bool(false)));
    assert_eq!(t.eval(both, &yes), None);
    assert_eq!(t.eval(either, &yes), Some(Value::Bool(true)));
    assert_eq!(t.eval(either, &no), None);
    let choice = t.ite(p, x, y);
    assert_eq!(t.eval(choice, &yes), Some(int(0)));
    assert_eq!(t.eval(choice, &no), None);
    let choice = t.ite(q, x, y);
    assert_eq!(t.eval(choice, &yes), None);
    // Both branches have the value.
    let square = t.mul(x, x);
    let choice = t.ite(q, x, square);
    assert_eq!(t.eval(choice, &yes), Some(int(0)));
    let product = t.mul(x, y);
    assert_eq!(t.eval(product, &yes), Some(int(0)));
}

#[test]
fn what_may_be_anything_has_no_value() {
    let mut t = Terms::new();
    let [x] = symbols(&mut t, Sort::Int, ["x"]);
    let (zero, one) = (t.int(0), t.int(1));
    let model = FxHashMap::from_iter([(t.as_symbol(x).unwrap(), int(0))]);
    for term in [t.div(one, zero), t.modulo(one, zero), t.div(one, x), t.modulo(x, x)] {
        assert_eq!(t.eval(term, &model), None);
    }
    let body = t.le(x, one);
    let quantified = t.quantify(Quantifier::Forall, &[x], body);
    assert_eq!(t.eval(quantified, &model), None);
}

/// `f(n) = n + 1`, and no symbols.
struct Successor;

impl Assignment for Successor {
    fn value(&self, _: SymbolId, _: u32, _: Sort) -> Option<Value> {
        None
    }

    fn function(&self, _: FunctionId, args: &[Value]) -> Option<Value> {
        Some(Value::Int(args.first()?.as_int()? + 1))
    }
}

#[test]
fn functions_are_asked_from_the_assignment() {
    let mut t = Terms::new();
    let function = t.declare_function("f", vec![Sort::Int], Sort::Int);
    let five = t.int(5);
    let once = t.apply(function, &[five]);
    let twice = t.apply(function, &[once]);
    assert_eq!(t.eval(twice, &Successor), Some(int(7)));
    assert_eq!(t.eval(twice, &FxHashMap::default()), None);
}

#[test]
fn arrays_over_a_finite_sort_are_equal_as_functions() {
    let bit = |bit| Value::Bv(1, bit);
    let array = |default, entries: &[(u128, i64)]| {
        let entries = entries.iter().map(|&(index, value)| (bit(index), int(value)));
        Value::Array(ArrayValue::new(int(default), entries).into())
    };
    let equal = |a: &Value, b: &Value| semantics::apply(Op::Eq, Sort::Bool, &[a.clone(), b.clone()]);
    let covered = array(7, &[(0, 5), (1, 5)]);
    assert_eq!(equal(&covered, &array(5, &[])), Some(Value::Bool(true)));
    assert_eq!(equal(&covered, &array(7, &[(0, 5)])), Some(Value::Bool(false)));
    assert_eq!(equal(&array(7, &[]), &array(5, &[(0, 7)])), Some(Value::Bool(false)));
}
