//! SMT-LIB and C text: snapshots, and the judgement of a solver and a compiler where they are installed.

#![allow(clippy::unwrap_used, reason = "this is a test")]

mod common;

use common::{ALL_SORTS, ARRAY_SORTS, Pool, Random};
use expect_test::expect;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use summa_term::to_c::{CSymbol, to_c, to_c_typed};
use summa_term::{FloatSort, Sort, Term, Terms, Value, smtlib};

fn symbol(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let symbol = terms.declare(name, sort);
    terms.symbol(symbol, 1)
}

#[test]
fn a_script_declares_and_shares() {
    let mut t = Terms::new();
    let (x, odd) = (symbol(&mut t, "main::x", Sort::Int), symbol(&mut t, "select", Sort::Bv(8)));
    let same_name = symbol(&mut t, "select", Sort::Int);
    let function = t.declare_function("f", vec![Sort::Int], Sort::Int);
    let minus = t.int(-5);
    let shared = t.apply(function, &[x]);
    let product = t.mul(shared, shared);
    let sum = t.add(&[product, shared, minus]);
    let first = t.le(sum, same_name);
    let wide = t.bv_sign_extend(odd, 32);
    let float = t.float_from_ubv(wide, FloatSort::F80);
    let half = t.float(FloatSort::F80, 0x3ffe << 64 | 1 << 63);
    let second = t.float_lt(float, half);
    let sort = t.array_of(Sort::Int, Sort::Bv(8));
    let array = t.const_array(sort, odd);
    let array = t.store(array, same_name, odd);
    let other = symbol(&mut t, "a", sort);
    let third = t.eq(array, other);
    expect![[r#"
        (set-logic ALL)
        (declare-const |main::x@1| Int)
        (declare-const select@1 (_ BitVec 8))
        (declare-const select!sy2@1 Int)
        (declare-const a@1 (Array Int (_ BitVec 8)))
        (declare-fun uf!f (Int) Int)
        (assert (let ((?0 (uf!f |main::x@1|))) (<= (+ ?0 (* ?0 ?0)) (+ select!sy2@1 5))))
        (assert (fp.lt ((_ to_fp_unsigned 15 64) RNE ((_ sign_extend 24) select@1)) ((_ to_fp 15 64) (_ bv151097280707754937286656 79))))
        (assert (= ((as const (Array Int (_ BitVec 8))) select@1) a@1))
        (check-sat)
    "#]]
    .assert_eq(&smtlib::script(&t, &[first, second, third]));
}

/// A solver must find that every random term has the value that our semantics gives: this checks syntax and
/// meaning.
#[test]
fn a_solver_reads_the_text_and_agrees() {
    let found = Command::new("z3").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        println!("skipped: there is no z3");
        return;
    }
    for seed in 0..20 {
        let mut random = Random(seed);
        let mut pool = Pool::new(&mut random, 1, ALL_SORTS, ARRAY_SORTS);
        let mut formulas = Vec::new();
        for _ in 0..60 {
            let (_, _, term, values) = pool.grow(&mut random);
            if let Some(value) = &values[0] {
                let value = pool.terms.value_term(value, pool.terms.sort(term));
                formulas.push(pool.terms.eq(term, value));
            }
        }
        for index in 0..pool.by_sort.len() {
            let sort = pool.by_sort[index].0;
            for name in ["x", "y", "z"] {
                let symbol = pool.terms.declare(name, sort);
                let term = pool.terms.symbol(symbol, 0);
                let value = pool.models[0][&(symbol, 0)].clone();
                let value = pool.terms.value_term(&value, sort);
                formulas.push(pool.terms.eq(term, value));
            }
        }
        let script = smtlib::script(&pool.terms, &formulas);
        let mut solver = Command::new("z3")
            .args(["-in", "-T:60"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        solver.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let output = solver.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "sat", "seed {seed}: {script}");
    }
}

#[test]
fn c_expressions() {
    let mut t = Terms::new();
    let (x, y) = (symbol(&mut t, "x", Sort::Int), symbol(&mut t, "y", Sort::Int));
    let (u, v) = (symbol(&mut t, "u", Sort::Bv(32)), symbol(&mut t, "v", Sort::Bv(8)));
    let (three, two) = (t.int(3), t.int(2));
    let first = t.le(x, three);
    let sum = t.add2(x, y);
    let second = t.eq(sum, three);
    let parity = t.modulo(x, two);
    let one = t.int(1);
    let third = t.ne(parity, one);
    let all = t.or(&[first, second, third]);
    let names = |terms: &Terms, symbol| terms.symbol_name(symbol).to_owned();
    let text =
        to_c_typed(&t, all, &|symbol, _| Some(CSymbol { text: names(&t, symbol), bits: 32, signed: true }));
    expect!["((x <= 3) || (((long long)x + y) == 3) || ((((long long)x % 2 + 2) % 2) != 1))"]
        .assert_eq(&text.unwrap());
    let text = to_c(&t, second, &|symbol, _| Some(names(&t, symbol)));
    expect!["(((__int128)x + y) == 3)"].assert_eq(&text.unwrap());

    let wide = t.bv_zero_extend(v, 32);
    let sum = t.bv_add(wide, u);
    let limit = t.bv(32, 0xffff_fff0);
    let fourth = t.bv_slt(sum, limit);
    let fifth = t.eq(u, limit);
    let all = t.and2(fourth, fifth);
    let text = to_c_typed(&t, all, &|symbol, _| {
        let bits = if names(&t, symbol) == "v" { 8 } else { 32 };
        Some(CSymbol { text: names(&t, symbol), bits, signed: true })
    });
    expect!["(((int)(((unsigned int)u) + ((unsigned int)v & 255u)) <= (-17)) && (u == (-16)))"]
        .assert_eq(&text.unwrap());

    // Of the right type it is used as it is; a type that is not known may be signed.
    let below = t.bv_ult(u, limit);
    let unsigned = |symbol, _| Some(CSymbol { text: names(&t, symbol), bits: 32, signed: false });
    expect!["(u <= 4294967279u)"].assert_eq(&to_c_typed(&t, below, &unsigned).unwrap());
    let w = symbol(&mut t, "w", Sort::Bv(128));
    let far = t.bv(128, 1 << 100);
    let below = t.bv_ult(w, far);
    let text = to_c(&t, below, &|symbol, _| Some(names(&t, symbol))).unwrap();
    assert!(text.contains("(unsigned __int128)w"), "{text}");
    let nothing = to_c(&t, fifth, &|_, _| None);
    assert_eq!(nothing, None);
}

/// A compiler must compute the value of the term for every expression, without overflow.
#[test]
fn a_compiler_computes_the_same_values() {
    if !Command::new("gcc")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
    {
        println!("skipped: there is no gcc");
        return;
    }
    let sorts = [
        Sort::Bool,
        Sort::Int,
        Sort::Bv(1),
        Sort::Bv(5),
        Sort::Bv(8),
        Sort::Bv(16),
        Sort::Bv(32),
        Sort::Bv(33),
        Sort::Bv(64),
        Sort::Bv(128),
    ];
    let mut program = String::from(
        "int failed;\nextern int printf(const char *, ...);\n#define CHECK(n, e, v) do { if ((e) != (v)) { \
         failed = 1; printf(\"%d\\n\", n); } } while (0)\n",
    );
    let (mut calls, mut checks) = (String::new(), 0);
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut pool = Pool::new(&mut random, 1, &sorts, &[]);
        let mut body = String::new();
        for (index, (sort, _)) in pool.by_sort.iter().enumerate() {
            for (letter, name) in ["x", "y", "z"].into_iter().enumerate() {
                let symbol = pool.terms.clone().declare(name, *sort);
                let signed = (index + letter) % 2 == 0;
                let kind = c_type(*sort, signed);
                let value = small(&pool.models[0][&(symbol, 0)]);
                pool.models[0].insert((symbol, 0), value.clone());
                let _ = writeln!(body, "  volatile {kind} v{symbol:?} = {};", c_value(&value));
            }
        }
        let mut evaluations = Vec::new();
        for _ in 0..80 {
            evaluations.push(pool.grow(&mut random).2);
        }
        for term in evaluations {
            let Some(value) = pool.terms.eval(term, &pool.models[0]) else { continue };
            let of = |symbol: summa_term::SymbolId, _| {
                let sort = pool.terms.symbol_info(symbol).sort;
                let index = pool.by_sort.iter().position(|(s, _)| *s == sort)?;
                let letter =
                    ["x", "y", "z"].iter().position(|&name| name == pool.terms.symbol_name(symbol))?;
                let (bits, signed) = type_shape(sort, (index + letter) % 2 == 0);
                Some(CSymbol { text: format!("v{symbol:?}"), bits, signed })
            };
            if let Some(text) = to_c_typed(&pool.terms, term, &of) {
                let _ = writeln!(body, "  CHECK({checks}, {text}, {});", c_value(&value));
                checks += 1;
            }
        }
        let _ = writeln!(program, "void test{seed}(void) {{\n{body}}}");
        let _ = writeln!(calls, "  test{seed}();");
    }
    let _ = writeln!(program, "int main(void) {{\n{calls}  return failed;\n}}");
    assert!(checks > 1000, "only {checks} terms have an expression");
    let directory = std::env::temp_dir().join(format!("summa-term-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (source, binary) = (directory.join("check.c"), directory.join("check"));
    std::fs::write(&source, &program).unwrap();
    let compiled = Command::new("gcc")
        .args(["-w", "-fsanitize=undefined", "-fno-sanitize-recover=all"])
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&binary).output().unwrap();
    let lines = String::from_utf8_lossy(&run.stdout).into_owned();
    let first = lines.lines().next().map(|number| format!("CHECK({number},"));
    let wrong = first.and_then(|check| program.lines().find(|line| line.contains(&check)));
    let complaint = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{wrong:?} {complaint}");
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Integer symbols are 32 bits wide in the program.
fn type_shape(sort: Sort, signed: bool) -> (u8, bool) {
    match sort {
        Sort::Int | Sort::Bool => (32, true),
        Sort::Bv(width) => ([8u8, 16, 32, 64, 128].into_iter().find(|bits| *bits >= width).unwrap(), signed),
        other => panic!("{other:?}"),
    }
}

fn c_type(sort: Sort, signed: bool) -> String {
    let (bits, signed) = type_shape(sort, signed);
    let name = match bits {
        8 => "char",
        16 => "short",
        32 => "int",
        64 => "long long",
        _ => "__int128",
    };
    format!("{} {name}", if signed { "signed" } else { "unsigned" })
}

/// Integers that fit into the symbols of the program.
fn small(value: &Value) -> Value {
    match value {
        Value::Int(value) => Value::Int(value % dashu_int::IBig::from(1 << 31)),
        other => other.clone(),
    }
}

fn c_value(value: &Value) -> String {
    match value {
        Value::Bool(value) => i32::from(*value).to_string(),
        Value::Int(value) => {
            let number = i128::try_from(value).unwrap();
            let (sign, magnitude) =
                if number < 0 { ("-", number.unsigned_abs()) } else { ("", number as u128) };
            format!(
                "({sign}(__int128)((unsigned __int128){}ULL << 64 | {}ULL))",
                magnitude >> 64,
                magnitude as u64
            )
        }
        Value::Bv(_, bits) => format!("((unsigned __int128){}ULL << 64 | {}ULL)", bits >> 64, *bits as u64),
        other => panic!("{other:?}"),
    }
}
