//! Terms as rows: they come back with the same values in another store, and rows that are wrong are refused
//! without a panic.

#![allow(clippy::unwrap_used, reason = "this is a test")]

mod common;

use common::{ALL_SORTS, ARRAY_SORTS, Model, Pool, Random};
use expect_test::expect;
use summa_term::portable::{Names, Rows, read, write};
use summa_term::{FunctionId, Quantifier, Sort, Term, Terms};

/// Takes every symbol, and the function `f`.
struct Everything;

impl Names for Everything {
    fn symbol(&mut self, terms: &mut Terms, name: &str, sort: Sort, version: u32) -> Option<Term> {
        let symbol = terms.declare(name, sort);
        Some(terms.symbol(symbol, version))
    }

    fn function(&mut self, terms: &mut Terms, name: &str, args: &[Sort], result: Sort) -> Option<FunctionId> {
        (name == "f").then(|| terms.declare_function(name, args.to_vec(), result))
    }
}

#[test]
fn rows_are_readable() {
    let mut t = Terms::new();
    let (x, y) = (t.declare("main::a b", Sort::Int), t.declare("y", Sort::Bv(8)));
    let (x, y) = (t.symbol(x, 0), t.symbol(y, 3));
    let function = t.declare_function("f", vec![Sort::Bv(8)], Sort::Int);
    let applied = t.apply(function, &[y]);
    let sum = t.add(&[x, applied]);
    let bound = t.int(-5);
    let formula = t.le(bound, sum);
    let rows = write(&t, &[formula]).unwrap();
    expect![[r#"
        int -5
        symbol 0 Int main::a b
        symbol 3 bv8 y
        apply:f Int 2
        + Int 1 3
        <= Bool 0 4"#]]
    .assert_eq(&rows.rows.join("\n"));
    assert_eq!(read(&mut t, &rows, &mut Everything), Ok(vec![formula]));
    let quantified = t.quantify(Quantifier::Exists, &[x], formula);
    assert!(write(&t, &[quantified]).is_err());
}

#[test]
fn terms_come_back_with_their_values() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut pool = Pool::new(&mut random, 3, ALL_SORTS, ARRAY_SORTS);
        let mut other = Terms::new();
        for _ in 0..120 {
            let (_, _, term, values) = pool.grow(&mut random);
            let rows = write(&pool.terms, &[term]).unwrap();
            // Numbers that grow without bound are the one thing that is refused.
            let Ok(there) = read(&mut other, &rows, &mut Everything) else { continue };
            let back = read(&mut pool.terms, &write(&other, &there).unwrap(), &mut Everything).unwrap();
            for (model, value) in pool.models.iter().zip(&values) {
                let found = pool.terms.eval(back[0], model);
                assert!(value.is_none() || found.is_none() || found == *value, "{:?}", rows.rows);
                let model = translated(&pool.terms, &mut other, model);
                let there = other.eval(there[0], &model);
                assert!(value.is_none() || there.is_none() || there == *value, "{:?}", rows.rows);
            }
        }
    }
}

/// The model with the symbols of another store.
fn translated(terms: &Terms, other: &mut Terms, model: &Model) -> Model {
    let mut result = Model::default();
    let mut entries: Vec<_> = model.iter().collect();
    entries.sort_by_key(|(symbol, _)| **symbol);
    for (&(symbol, version), value) in entries {
        let sort = terms.symbol_info(symbol).sort;
        // Array sorts are numbered in each store.
        if !matches!(sort, Sort::Array(_)) {
            let symbol = other.declare(terms.symbol_name(symbol), sort);
            result.insert((symbol, version), value.clone());
        }
    }
    result
}

#[test]
fn wrong_rows_are_refused() {
    let refused = |rows: &[&str]| {
        let rows = Rows { rows: rows.iter().map(|&row| row.to_owned()).collect(), roots: vec![0] };
        read(&mut Terms::new(), &rows, &mut Everything).unwrap_err()
    };
    for rows in [
        &[""][..],
        &["what Bool"],
        &["true true"],
        &["int 1x"],
        &["bv bv8 256"],
        &["bv bv0 0"],
        &["bv bv129 0"],
        &["bv Int 0"],
        &["float f32 4294967296"],
        &["float f80 1208925819614629174706175"],
        &["symbol 0 [Int>Int x"],
        &["symbol 0 [[[[[[[[[[Int>Int]>Int]>Int]>Int]>Int]>Int]>Int]>Int]>Int]>Int] x"],
        &["symbol -1 Int x"],
        &["not Bool 0"],
        &["not Bool 4294967296"],
        &["int 1", "not Bool 0"],
        &["int 1", "true", "ite Int 1 0 1"],
        &["bv bv8 1", "bvadd bv9 0 0"],
        &["bv bv8 1", "extract:8:0 bv9 0"],
        &["bv bv8 1", "extract:0:1 bv1 0"],
        &["bv bv128 1", "concat bv1 0 0"],
        &["bv bv8 1", "apply:g bv8 0"],
        &["bv bv8 1", "fp.from_bits f32 0"],
        &["bv bv8 1", "select bv8 0 0"],
        &["true", "and Bool 0"],
    ] {
        let mut rows = rows.to_vec();
        rows.push("true");
        refused(&rows);
    }
    assert!(read(&mut Terms::new(), &Rows { rows: Vec::new(), roots: vec![0] }, &mut Everything).is_err());
}

/// Squares of squares: each row is short, the number is not.
#[test]
fn numbers_do_not_explode() {
    let mut rows = vec!["symbol 0 Int x".to_owned(), "int 3".to_owned(), "* Int 0 1".to_owned()];
    rows.extend((2..80).map(|row| format!("* Int {row} {row}")));
    let rows = Rows { rows, roots: vec![0] };
    assert!(read(&mut Terms::new(), &rows, &mut Everything).is_err());
    let mut rows = vec!["int 3".to_owned()];
    rows.extend((0..80).map(|row| format!("* Int {row} {row}")));
    assert!(read(&mut Terms::new(), &Rows { rows, roots: vec![0] }, &mut Everything).is_err());
}

/// Any change of a row gives a term or a refusal.
#[test]
fn tampered_rows_do_not_panic() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let mut pool = Pool::new(&mut random, 0, ALL_SORTS, ARRAY_SORTS);
        let roots: Vec<Term> = (0..100).map(|_| pool.grow(&mut random).2).collect();
        let rows = write(&pool.terms, &roots).unwrap();
        for _ in 0..200 {
            let mut changed = rows.clone();
            let (at, from) = (random.below(changed.rows.len()), random.below(changed.rows.len()));
            let mut words: Vec<String> = changed.rows[at].split(' ').map(str::to_owned).collect();
            let others: Vec<&str> = rows.rows[from].split(' ').collect();
            let word = random.below(words.len());
            words[word] = random.pick(&others).to_owned();
            changed.rows[at] = words.join(" ");
            let _ = read(&mut Terms::new(), &changed, &mut Everything);
        }
    }
}
