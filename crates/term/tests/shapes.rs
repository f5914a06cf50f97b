//! What terms look like after simplification: equal meanings that must be one term, and rules that other
//! crates rely on.

use expect_test::expect;
use summa_term::{FloatSort, Op, Sort, Term, Terms, smtlib, soft_float};

fn symbols<const N: usize>(terms: &mut Terms, sort: Sort, names: [&str; N]) -> [Term; N] {
    names.map(|name| {
        let symbol = terms.declare(name, sort);
        terms.symbol(symbol, 0)
    })
}

#[test]
fn sums_have_one_shape() {
    let mut t = Terms::new();
    let [x, y] = symbols(&mut t, Sort::Int, ["x", "y"]);
    let (one, three) = (t.int(1), t.int(3));
    assert_eq!(t.add2(x, y), t.add2(y, x));
    let (left, right) = (t.add(&[x, y, one]), t.add(&[one, y, x]));
    assert_eq!(left, right);
    let back = t.sub(left, y);
    assert_eq!(t.sub(back, one), x);
    let sum = t.add2(x, y);
    let (product, parts) = (t.mul(three, sum), [t.mul(three, x), t.mul(y, three)]);
    assert_eq!(product, t.add(&parts));
    let minus = t.neg(x);
    assert_eq!(t.add2(x, minus), t.int(0));
    assert_eq!(t.mul(minus, y), {
        let p = t.mul(x, y);
        t.neg(p)
    });
}

#[test]
fn integer_comparisons_have_one_shape() {
    let mut t = Terms::new();
    let [x, y] = symbols(&mut t, Sort::Int, ["x", "y"]);
    let (two, three, four, six, seven) = (t.int(2), t.int(3), t.int(4), t.int(6), t.int(7));
    let at_most = t.le(x, three);
    let at_least = t.ge(x, four);
    assert_eq!(t.not(at_least), at_most);
    assert_eq!(t.lt(x, four), at_most);
    // 2x <= 7 is x <= 3, and 2x = 7 is false.
    let double = t.mul(two, x);
    assert_eq!(t.le(double, seven), at_most);
    assert_eq!(t.eq(double, seven), Terms::FALSE);
    assert_eq!(t.eq(double, six), t.eq(x, three));
    assert_eq!(t.eq(three, x), t.eq(x, three));
    let (less, more) = (t.lt(x, y), t.gt(y, x));
    assert_eq!(less, more);
    let difference = t.sub(x, y);
    let zero = t.int(0);
    assert_eq!(t.lt(difference, zero), less);
    assert_eq!(t.and2(at_most, at_least), Terms::FALSE);
    assert_eq!(t.or2(at_most, at_least), Terms::TRUE);
    let print = |t: &Terms, term| smtlib::print(t, term);
    let far = t.add2(y, three);
    let le = t.le(x, far);
    expect!["(<= x@0 (+ y@0 3))"].assert_eq(&print(&t, le));
    let not = t.not(le);
    expect!["(<= (+ y@0 4) x@0)"].assert_eq(&print(&t, not));
    expect!["(<= 4 x@0)"].assert_eq(&print(&t, at_least));
}

#[test]
fn truth_values_of_c_become_conditions() {
    let mut t = Terms::new();
    let [c, d] = symbols(&mut t, Sort::Bool, ["c", "d"]);
    let not_c = t.not(c);
    let (zero, one, two) = (t.int(0), t.int(1), t.int(2));
    let truth = t.ite(c, one, zero);
    assert_eq!(t.ne(truth, zero), c);
    assert_eq!(t.eq(truth, zero), not_c);
    assert_eq!(t.eq(truth, one), c);
    assert_eq!(t.eq(truth, two), Terms::FALSE);
    assert_eq!(t.le(one, truth), c);
    assert_eq!(t.lt(truth, one), not_c);
    let other = t.ite(d, one, zero);
    assert_eq!(t.eq(truth, other), t.iff(c, d));
    let nested = t.ite(d, truth, two);
    let expected = t.and2(d, not_c);
    assert_eq!(t.eq(nested, zero), expected);

    let (zero, one) = (t.bv(32, 0), t.bv(32, 1));
    let (truth, other) = (t.ite(c, one, zero), t.ite(d, one, zero));
    assert_eq!(t.ne(truth, zero), c);
    assert_eq!(t.eq(truth, zero), not_c);
    assert_eq!(t.bv_slt(zero, truth), c);
    assert_eq!(t.bv_ult(truth, one), not_c);
    let both = t.bv_and(truth, other);
    assert_eq!(t.ne(both, zero), t.and2(c, d));
    let wide = t.bv_zero_extend(truth, 64);
    let wide_zero = t.bv(64, 0);
    assert_eq!(t.ne(wide, wide_zero), c);
    let flipped = t.bv_xor(truth, one);
    assert_eq!(t.ne(flipped, zero), not_c);
    let as_double = t.float_from_sbv(truth, FloatSort::F64);
    let zero = t.float(FloatSort::F64, 0);
    assert_eq!(t.float_eq(as_double, zero), not_c);
}

#[test]
fn division_and_remainder_by_constants() {
    let mut t = Terms::new();
    let [x, y] = symbols(&mut t, Sort::Int, ["x", "y"]);
    let (one, four, m8, m16) = (t.int(1), t.int(4), t.int(256), t.int(65536));
    assert_eq!(t.modulo(x, one), t.int(0));
    assert_eq!(t.div(x, one), x);
    let multiple = t.mul(four, x);
    assert_eq!(t.div(multiple, four), x);
    let sum = t.add2(multiple, one);
    assert_eq!(t.div(sum, four), x);
    assert_eq!(t.modulo(sum, four), one);
    let (byte, word) = (t.modulo(x, m8), t.modulo(x, m16));
    assert_eq!(t.modulo(byte, m16), byte);
    assert_eq!(t.modulo(word, m8), byte);
    // Wrap-around at the end is enough.
    let (next, wrapped) = (t.add2(x, y), t.add2(byte, y));
    assert_eq!(t.modulo(wrapped, m8), t.modulo(next, m8));
    // The range is known.
    let zero = t.int(0);
    assert_eq!(t.le(zero, byte), Terms::TRUE);
    assert_eq!(t.lt(byte, m8), Terms::TRUE);
    assert_eq!(t.eq(byte, m8), Terms::FALSE);
    assert_eq!(t.truncated_div(byte, four), t.div(byte, four));
    let minus = t.int(-7);
    let two = t.int(2);
    assert_eq!(t.truncated_div(minus, two), t.int(-3));
    assert_eq!(t.truncated_rem(minus, two), t.int(-1));
    assert_eq!(t.div(minus, two), t.int(-4));
    assert_eq!(t.modulo(minus, two), t.int(1));
}

#[test]
fn vectors() {
    let mut t = Terms::new();
    let [x, y] = symbols(&mut t, Sort::Bv(32), ["x", "y"]);
    let [b] = symbols(&mut t, Sort::Bv(8), ["b"]);
    let (one, five) = (t.bv(32, 1), t.bv(32, 5));
    let sum = t.bv_add(x, y);
    assert_eq!(sum, t.bv_add(y, x));
    assert_eq!(t.bv_sub(sum, y), x);
    let next = t.bv_add(x, one);
    assert_eq!(t.bv_sub(next, one), x);
    assert_eq!(t.eq(next, five), {
        let four = t.bv(32, 4);
        t.eq(x, four)
    });
    let (wide, three) = (t.bv_zero_extend(b, 32), t.bv(8, 3));
    // unsigned char in int arithmetic: b + 1 stored into a char is one addition of 8 bits.
    let stored = {
        let sum = t.bv_add(wide, one);
        t.bv_extract(7, 0, sum)
    };
    let narrow_one = t.bv(8, 1);
    assert_eq!(stored, t.bv_add(b, narrow_one));
    let wide_three = t.bv(32, 3);
    assert_eq!(t.bv_slt(wide, wide_three), t.bv_ult(b, three));
    let big = t.bv(32, 256);
    assert_eq!(t.bv_slt(wide, big), Terms::TRUE);
    assert_eq!(t.eq(wide, big), Terms::FALSE);
    let (high, low) = (t.bv_extract(31, 8, x), t.bv_extract(7, 0, x));
    assert_eq!(t.bv_concat(high, low), x);
    let less = t.bv_ult(x, y);
    assert_eq!(t.not(less), t.bv_ule(y, x));
    let (below, above) = (t.bv_slt(x, five), t.bv_sle(five, x));
    assert_eq!(t.not(below), above);
    assert_eq!(t.and2(below, above), Terms::FALSE);
}

#[test]
fn booleans() {
    let mut t = Terms::new();
    let [a, b, c] = symbols(&mut t, Sort::Bool, ["a", "b", "c"]);
    let not_a = t.not(a);
    assert_eq!(t.and(&[a, b, not_a]), Terms::FALSE);
    assert_eq!(t.or(&[a, b, not_a]), Terms::TRUE);
    assert_eq!(t.and(&[a, Terms::TRUE, a]), a);
    let either = t.or2(a, b);
    assert_eq!(t.and2(a, either), a);
    let (inner, flat) = (t.and2(a, b), t.and(&[c, b, a]));
    assert_eq!(t.and2(inner, c), flat);
    assert_eq!(t.ite(not_a, b, c), t.ite(a, c, b));
    assert_eq!(t.iff(not_a, b), {
        let iff = t.iff(a, b);
        t.not(iff)
    });
    assert_eq!(t.implies(a, a), Terms::TRUE);
    assert_eq!(t.distinct(&[a, b, not_a]), Terms::FALSE);
}

#[test]
fn arrays() {
    let mut t = Terms::new();
    let sort = t.array_of(Sort::Int, Sort::Int);
    let [m] = symbols(&mut t, sort, ["m"]);
    let [i, j, v, w] = symbols(&mut t, Sort::Int, ["i", "j", "v", "w"]);
    let one = t.int(1);
    let next = t.add2(i, one);
    let written = t.store(m, i, v);
    assert_eq!(t.select(written, i), v);
    assert_eq!(t.select(written, next), t.select(m, next));
    let unknown = t.select(written, j);
    expect!["(select (store m@0 i@0 v@0) j@0)"].assert_eq(&smtlib::print(&t, unknown));
    let again = t.store(written, i, w);
    assert_eq!(again, t.store(m, i, w));
    let read = t.select(m, j);
    assert_eq!(t.store(m, j, read), m);
    let zeros = t.const_array(sort, one);
    assert_eq!(t.select(zeros, j), one);
}

#[test]
fn all_nans_are_one_constant() {
    let mut t = Terms::new();
    for sort in [FloatSort::F32, FloatSort::F64, FloatSort::F80, FloatSort::F128] {
        let nan = t.float(sort, soft_float::nan(sort));
        let negative = t.float(sort, soft_float::nan(sort) | 1 << (soft_float::storage_bits(sort) - 1) | 5);
        assert_eq!(nan, negative);
        let bits = soft_float::to_smt_bits(sort, soft_float::nan(sort));
        assert_eq!(soft_float::from_smt_bits(sort, bits), soft_float::nan(sort));
        assert_eq!(t.float_eq(nan, nan), Terms::FALSE);
        assert_eq!(t.eq(nan, negative), Terms::TRUE);
    }
}

#[test]
fn long_conjunctions_are_built_in_linear_time_and_keep_all_members() {
    let mut t = Terms::new();
    let symbol = t.declare("p", Sort::Bool);
    let mut formula = Terms::TRUE;
    for version in 0..100_000 {
        let next = t.symbol(symbol, version);
        formula = t.and2(formula, next);
    }
    assert_eq!(t.conjuncts(formula).len(), 100_000);
    assert_eq!(t.atoms(formula).len(), 100_000);
    assert!(!t.contains_op(formula, |op| op != Op::And));
}

#[test]
#[should_panic(expected = "wants Int, not Bool")]
fn wrong_sorts_are_refused() {
    let mut t = Terms::new();
    t.add2(Terms::TRUE, Terms::TRUE);
}
