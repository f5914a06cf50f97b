//! Terms as rows of text that another store, in another process, can read back.
//!
//! One row for each node of the graph, children first, so that the text is as long as the graph and nothing
//! nests: an operator, its sort, and the numbers of the rows that are its arguments. The caller says what a
//! symbol or function is in the other store. Rows may come from anywhere, so everything is checked before a
//! builder sees it.
//!
//! Limits: no quantifiers; numbers have at most [`MAX_BITS`] bits.

use crate::kind::{FloatOp, FunctionId, Kind, Op, Rounding};
use crate::soft_float;
use crate::sort::{FloatSort, Sort};
use crate::store::{Term, Terms};
use dashu_int::IBig;
use dashu_int::ops::BitTest;
use std::fmt::Write;
use std::str::{FromStr, SplitWhitespace};
use summa_base::FxHashMap;

/// A few terms with all that they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub rows: Vec<String>,
    /// The rows of the terms themselves.
    pub roots: Vec<usize>,
}

/// More rows are refused.
const MAX_ROWS: usize = 1 << 20;
/// Products of large coefficients would grow without bound.
const MAX_BITS: usize = 4096;
/// Array sorts nest this deep.
const MAX_NESTING: usize = 8;

/// What names mean in the store that reads. `None` refuses.
pub trait Names {
    fn symbol(&mut self, terms: &mut Terms, name: &str, sort: Sort, version: u32) -> Option<Term>;
    fn function(&mut self, terms: &mut Terms, name: &str, args: &[Sort], result: Sort) -> Option<FunctionId>;
}

// ---- writing ----

/// The rows of some terms.
///
/// # Errors
/// There is a quantifier.
pub fn write(terms: &Terms, roots: &[Term]) -> Result<Rows, String> {
    let order = terms.post_order(roots);
    let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
    let mut rows = Vec::with_capacity(order.len());
    for term in order {
        rows.push(row(terms, term, &numbers)?);
        numbers.insert(term, rows.len() - 1);
    }
    Ok(Rows { rows, roots: roots.iter().map(|root| numbers[root]).collect() })
}

fn row(terms: &Terms, term: Term, numbers: &FxHashMap<Term, usize>) -> Result<String, String> {
    let sort = terms.sort(term);
    Ok(match terms.kind(term) {
        Kind::True => "true".to_owned(),
        Kind::False => "false".to_owned(),
        Kind::Int(value) => format!("int {value}"),
        Kind::Bv(bits) => format!("bv {} {bits}", sort_text(terms, sort)),
        Kind::Float(bits) => format!("float {} {bits}", sort_text(terms, sort)),
        Kind::Symbol(symbol, version) => {
            format!("symbol {version} {} {}", sort_text(terms, sort), terms.symbol_name(*symbol))
        }
        Kind::App(op, args) => {
            let mut text = format!("{} {}", op_text(terms, *op)?, sort_text(terms, sort));
            for arg in args {
                let _ = write!(text, " {}", numbers[arg]);
            }
            text
        }
        Kind::Quantified(..) => return Err("a formula with quantifiers".to_owned()),
    })
}

fn op_text(terms: &Terms, op: Op) -> Result<String, String> {
    Ok(match op {
        Op::BvExtract { hi, lo } => format!("extract:{hi}:{lo}"),
        Op::Apply(function) => {
            let name = terms.function_name(function);
            if name.contains(char::is_whitespace) {
                return Err(format!("the function `{name}`"));
            }
            format!("apply:{name}")
        }
        _ => match OPERATORS.iter().find(|(_, known)| *known == op) {
            Some((name, _)) => (*name).to_owned(),
            None => return Err(format!("the operator {op:?}")),
        },
    })
}

/// Without blanks: `Bool`, `Int`, `bv32`, `f64`, `[bv32>bv8]`.
fn sort_text(terms: &Terms, sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Int => "Int".to_owned(),
        Sort::Bv(width) => format!("bv{width}"),
        Sort::Float(FloatSort::F32) => "f32".to_owned(),
        Sort::Float(FloatSort::F64) => "f64".to_owned(),
        Sort::Float(FloatSort::F80) => "f80".to_owned(),
        Sort::Float(FloatSort::F128) => "f128".to_owned(),
        Sort::Array(array) => {
            let (index, element) = terms.array_sort(array);
            format!("[{}>{}]", sort_text(terms, index), sort_text(terms, element))
        }
    }
}

/// Operators without indices. A new one must be added here, or formulas with it cannot be written.
const OPERATORS: &[(&str, Op)] = &[
    ("not", Op::Not),
    ("and", Op::And),
    ("or", Op::Or),
    ("ite", Op::Ite),
    ("=", Op::Eq),
    ("+", Op::Add),
    ("*", Op::Mul),
    ("div", Op::Div),
    ("mod", Op::Mod),
    ("<=", Op::Le),
    ("<", Op::Lt),
    ("bvnot", Op::BvNot),
    ("bvneg", Op::BvNeg),
    ("bvadd", Op::BvAdd),
    ("bvsub", Op::BvSub),
    ("bvmul", Op::BvMul),
    ("bvudiv", Op::BvUdiv),
    ("bvurem", Op::BvUrem),
    ("bvsdiv", Op::BvSdiv),
    ("bvsrem", Op::BvSrem),
    ("bvand", Op::BvAnd),
    ("bvor", Op::BvOr),
    ("bvxor", Op::BvXor),
    ("bvshl", Op::BvShl),
    ("bvlshr", Op::BvLshr),
    ("bvashr", Op::BvAshr),
    ("bvult", Op::BvUlt),
    ("bvule", Op::BvUle),
    ("bvslt", Op::BvSlt),
    ("bvsle", Op::BvSle),
    ("concat", Op::BvConcat),
    ("zero_extend", Op::BvZeroExtend),
    ("sign_extend", Op::BvSignExtend),
    ("fp.add", Op::FloatAdd),
    ("fp.sub", Op::FloatSub),
    ("fp.mul", Op::FloatMul),
    ("fp.div", Op::FloatDiv),
    ("fp.rem", Op::FloatRem),
    ("fp.sqrt", Op::FloatSqrt),
    ("fp.neg", Op::FloatNeg),
    ("fp.abs", Op::FloatAbs),
    ("fp.round:RNE", Op::FloatRoundToIntegral(Rounding::NearestEven)),
    ("fp.round:RNA", Op::FloatRoundToIntegral(Rounding::NearestAway)),
    ("fp.round:RTN", Op::FloatRoundToIntegral(Rounding::Down)),
    ("fp.round:RTP", Op::FloatRoundToIntegral(Rounding::Up)),
    ("fp.round:RTZ", Op::FloatRoundToIntegral(Rounding::Zero)),
    ("fp.add:RTN", Op::FloatRounded(FloatOp::Add, Rounding::Down)),
    ("fp.add:RTP", Op::FloatRounded(FloatOp::Add, Rounding::Up)),
    ("fp.add:RTZ", Op::FloatRounded(FloatOp::Add, Rounding::Zero)),
    ("fp.sub:RTN", Op::FloatRounded(FloatOp::Sub, Rounding::Down)),
    ("fp.sub:RTP", Op::FloatRounded(FloatOp::Sub, Rounding::Up)),
    ("fp.sub:RTZ", Op::FloatRounded(FloatOp::Sub, Rounding::Zero)),
    ("fp.mul:RTN", Op::FloatRounded(FloatOp::Mul, Rounding::Down)),
    ("fp.mul:RTP", Op::FloatRounded(FloatOp::Mul, Rounding::Up)),
    ("fp.mul:RTZ", Op::FloatRounded(FloatOp::Mul, Rounding::Zero)),
    ("fp.div:RTN", Op::FloatRounded(FloatOp::Div, Rounding::Down)),
    ("fp.div:RTP", Op::FloatRounded(FloatOp::Div, Rounding::Up)),
    ("fp.div:RTZ", Op::FloatRounded(FloatOp::Div, Rounding::Zero)),
    ("fp.sqrt:RTN", Op::FloatRounded(FloatOp::Sqrt, Rounding::Down)),
    ("fp.sqrt:RTP", Op::FloatRounded(FloatOp::Sqrt, Rounding::Up)),
    ("fp.sqrt:RTZ", Op::FloatRounded(FloatOp::Sqrt, Rounding::Zero)),
    ("fp.fma:RNE", Op::FloatRounded(FloatOp::Fma, Rounding::NearestEven)),
    ("fp.fma:RTN", Op::FloatRounded(FloatOp::Fma, Rounding::Down)),
    ("fp.fma:RTP", Op::FloatRounded(FloatOp::Fma, Rounding::Up)),
    ("fp.fma:RTZ", Op::FloatRounded(FloatOp::Fma, Rounding::Zero)),
    ("fp.to_fp:RTN", Op::FloatRounded(FloatOp::FromFloat, Rounding::Down)),
    ("fp.to_fp:RTP", Op::FloatRounded(FloatOp::FromFloat, Rounding::Up)),
    ("fp.to_fp:RTZ", Op::FloatRounded(FloatOp::FromFloat, Rounding::Zero)),
    ("fp.from_sbv:RTN", Op::FloatRounded(FloatOp::FromSbv, Rounding::Down)),
    ("fp.from_sbv:RTP", Op::FloatRounded(FloatOp::FromSbv, Rounding::Up)),
    ("fp.from_sbv:RTZ", Op::FloatRounded(FloatOp::FromSbv, Rounding::Zero)),
    ("fp.from_ubv:RTN", Op::FloatRounded(FloatOp::FromUbv, Rounding::Down)),
    ("fp.from_ubv:RTP", Op::FloatRounded(FloatOp::FromUbv, Rounding::Up)),
    ("fp.from_ubv:RTZ", Op::FloatRounded(FloatOp::FromUbv, Rounding::Zero)),
    ("fp.eq", Op::FloatEq),
    ("fp.lt", Op::FloatLt),
    ("fp.leq", Op::FloatLe),
    ("fp.isNaN", Op::FloatIsNan),
    ("fp.isInfinite", Op::FloatIsInf),
    ("fp.isNegative", Op::FloatIsNegative),
    ("fp.to_fp", Op::FloatToFloat),
    ("fp.from_sbv", Op::FloatFromSbv),
    ("fp.from_ubv", Op::FloatFromUbv),
    ("fp.to_sbv", Op::FloatToSbv),
    ("fp.to_ubv", Op::FloatToUbv),
    ("fp.from_bits", Op::FloatFromBits),
    ("select", Op::Select),
    ("store", Op::Store),
    ("const", Op::ConstArray),
];

// ---- comparing ----

/// A digest for each row that depends on what the row means. It depends neither on the numbers of rows, nor
/// on the order of arguments where the order does not matter. `name` gives each symbol and function a name
/// that means the same in both stores; None if there is no such name. Terms of two stores with equal digests
/// are equal, as long as `hash` has no collisions.
pub fn digests(
    rows: &Rows,
    name: impl Fn(&str) -> Option<String>,
    hash: impl Fn(&[u8]) -> [u8; 32],
) -> Vec<Option<[u8; 32]>> {
    let mut made: Vec<Option<[u8; 32]>> = Vec::with_capacity(rows.rows.len());
    for row in &rows.rows {
        let digest = digest(row, &made, &name, &hash);
        made.push(digest);
    }
    made
}

fn digest(
    row: &str,
    made: &[Option<[u8; 32]>],
    name: &impl Fn(&str) -> Option<String>,
    hash: &impl Fn(&[u8]) -> [u8; 32],
) -> Option<[u8; 32]> {
    let op = row.split_whitespace().next()?;
    if op == "symbol" {
        // The name is the rest of the row, blanks and all.
        let mut words = row.splitn(4, ' ').skip(1);
        let (version, sort, called) = (words.next()?, words.next()?, name(words.next()?)?);
        return Some(hash(format!("symbol {version} {sort} {called}").as_bytes()));
    }
    if matches!(op, "true" | "false" | "int" | "bv" | "float") {
        return Some(hash(format!("leaf {row}").as_bytes()));
    }
    let called = match op.strip_prefix("apply:") {
        Some(function) => name(function)?,
        None => op.to_owned(),
    };
    let mut words = row.split_whitespace().skip(1);
    let mut text = format!("node {}:{called} {} ", called.len(), words.next()?).into_bytes();
    let args = words.map(|word| made.get(word.parse::<usize>().ok()?).copied().flatten());
    let mut args = args.collect::<Option<Vec<[u8; 32]>>>()?;
    if COMMUTATIVE.contains(&op) {
        args.sort_unstable();
    }
    text.extend(args.into_flattened());
    Some(hash(&text))
}

/// Operators whose arguments may stand in any order.
const COMMUTATIVE: &[&str] =
    &["and", "or", "=", "+", "*", "bvadd", "bvmul", "bvand", "bvor", "bvxor", "fp.eq"];

// ---- reading ----

/// The terms of some rows.
///
/// # Errors
/// The row that is wrong, or does not fit what `names` knows.
pub fn read(terms: &mut Terms, rows: &Rows, names: &mut dyn Names) -> Result<Vec<Term>, String> {
    if rows.rows.len() > MAX_ROWS {
        return Err(format!("{} rows are too many", rows.rows.len()));
    }
    let mut made: Vec<Term> = Vec::with_capacity(rows.rows.len());
    for row in &rows.rows {
        let term = read_row(terms, row, &made, names).ok_or_else(|| format!("`{}`", shortened(row)))?;
        made.push(term);
    }
    let root = |&root: &usize| made.get(root).copied().ok_or_else(|| format!("there is no row {root}"));
    rows.roots.iter().map(root).collect()
}

fn shortened(row: &str) -> String {
    row.chars().take(80).collect()
}

fn read_row(terms: &mut Terms, row: &str, made: &[Term], names: &mut dyn Names) -> Option<Term> {
    let mut words = row.split_whitespace();
    let term = match words.next()? {
        "true" => Terms::TRUE,
        "false" => Terms::FALSE,
        "int" => {
            let digits = words.next().filter(|digits| digits.len() <= MAX_BITS / 4)?;
            terms.int(IBig::from_str(digits).ok()?)
        }
        "bv" => match (read_sort(terms, words.next()?)?, words.next()?.parse::<u128>().ok()?) {
            (Sort::Bv(width), bits) if bits <= u128::MAX >> (128 - u32::from(width)) => terms.bv(width, bits),
            _ => return None,
        },
        "float" => match (read_sort(terms, words.next()?)?, words.next()?.parse::<u128>().ok()?) {
            (Sort::Float(sort), bits) if is_float(sort, bits) => terms.float(sort, bits),
            _ => return None,
        },
        "symbol" => {
            let version = words.next()?.parse().ok()?;
            let sort = read_sort(terms, words.next()?)?;
            // The name is the rest of the row, blanks and all.
            let name = row.splitn(4, ' ').nth(3)?;
            return names.symbol(terms, name, sort, version).filter(|&term| terms.sort(term) == sort);
        }
        operator => read_application(terms, operator, &mut words, made, names)?,
    };
    words.next().is_none().then_some(term)
}

fn read_application(
    terms: &mut Terms,
    operator: &str,
    words: &mut SplitWhitespace<'_>,
    made: &[Term],
    names: &mut dyn Names,
) -> Option<Term> {
    let sort = read_sort(terms, words.next()?)?;
    let mut args = Vec::new();
    for word in words {
        args.push(*made.get(word.parse::<usize>().ok()?)?);
    }
    let sorts: Vec<Sort> = args.iter().map(|&arg| terms.sort(arg)).collect();
    let op = match operator.split_once(':') {
        Some(("apply", name)) => Op::Apply(names.function(terms, name, &sorts, sort)?),
        Some(("extract", bits)) => {
            let (hi, lo) = bits.split_once(':')?;
            Op::BvExtract { hi: hi.parse().ok()?, lo: lo.parse().ok()? }
        }
        _ => OPERATORS.iter().find(|(name, _)| *name == operator)?.1,
    };
    if !fits(terms, op, &sorts, sort) {
        return None;
    }
    let term = terms.build(op, &args, sort);
    (terms.sort(term) == sort && !has_large_number(terms, term)).then_some(term)
}

/// Is this how the operator is used? Builders take it for granted.
fn fits(terms: &Terms, op: Op, args: &[Sort], sort: Sort) -> bool {
    use Sort::{Array, Bool, Bv, Float, Int};
    match (op, args, sort) {
        (Op::Not, [Bool], Bool) => true,
        (Op::And | Op::Or, _, Bool) => args.len() >= 2 && args.iter().all(|&arg| arg == Bool),
        (Op::Ite, &[Bool, a, b], _) => a == b && a == sort,
        (Op::Eq, &[a, b], Bool) => a == b,
        (Op::Add, _, Int) => args.len() >= 2 && args.iter().all(|&arg| arg == Int),
        (Op::Mul | Op::Div | Op::Mod, [Int, Int], Int) | (Op::Le | Op::Lt, [Int, Int], Bool) => true,
        (Op::BvNot | Op::BvNeg, &[Bv(a)], Bv(result)) => a == result,
        (
            Op::BvAdd
            | Op::BvSub
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr,
            &[Bv(a), Bv(b)],
            Bv(result),
        ) => a == b && a == result,
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, &[Bv(a), Bv(b)], Bool) => a == b,
        (Op::BvConcat, &[Bv(a), Bv(b)], Bv(result)) => u16::from(a) + u16::from(b) == u16::from(result),
        (Op::BvExtract { hi, lo }, &[Bv(a)], Bv(result)) => lo <= hi && hi < a && hi - lo + 1 == result,
        (Op::BvZeroExtend | Op::BvSignExtend, &[Bv(a)], Bv(result)) => a <= result,
        (
            Op::FloatAdd | Op::FloatSub | Op::FloatMul | Op::FloatDiv | Op::FloatRem,
            &[Float(a), Float(b)],
            Float(result),
        ) => a == b && a == result,
        (
            Op::FloatSqrt | Op::FloatNeg | Op::FloatAbs | Op::FloatRoundToIntegral(_),
            &[Float(a)],
            Float(result),
        ) => a == result,
        (
            Op::FloatRounded(FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div, _),
            &[Float(a), Float(b)],
            Float(result),
        ) => a == b && a == result,
        (Op::FloatRounded(FloatOp::Fma, _), &[Float(a), Float(b), Float(c)], Float(result)) => {
            a == b && b == c && a == result
        }
        (Op::FloatRounded(FloatOp::Sqrt, _), &[Float(a)], Float(result)) => a == result,
        (Op::FloatRounded(FloatOp::FromFloat, _), [Float(_)], Float(_)) => true,
        (Op::FloatRounded(FloatOp::FromSbv | FloatOp::FromUbv, _), [Bv(_)], Float(_)) => true,
        (Op::FloatEq | Op::FloatLt | Op::FloatLe, &[Float(a), Float(b)], Bool) => a == b,
        (Op::FloatIsNan | Op::FloatIsInf | Op::FloatIsNegative, [Float(_)], Bool) => true,
        (Op::FloatToFloat, [Float(_)], Float(_)) | (Op::FloatToSbv | Op::FloatToUbv, [Float(_)], Bv(_)) => {
            true
        }
        (Op::FloatFromSbv | Op::FloatFromUbv, [Bv(_)], Float(_)) => true,
        (Op::FloatFromBits, &[Bv(a)], Float(result)) => {
            let (exponent, significand) = result.shape();
            u32::from(a) == exponent + significand
        }
        (Op::Select, &[Array(array), index], _) => terms.array_sort(array) == (index, sort),
        (Op::Store, &[Array(array), index, element], _) => {
            terms.array_sort(array) == (index, element) && sort == Array(array)
        }
        (Op::ConstArray, &[element], Array(array)) => terms.array_sort(array).1 == element,
        (Op::Apply(function), ..) => {
            let info = terms.function_info(function);
            info.args == args && info.result == sort
        }
        _ => false,
    }
}

/// In the term itself or as a coefficient in it.
fn has_large_number(terms: &Terms, term: Term) -> bool {
    let is_large = |term: Term| terms.as_int(term).is_some_and(|value| value.bit_len() > MAX_BITS);
    let args = |term: Term| terms.as_app(term).map_or(&[][..], |(_, args)| args);
    is_large(term)
        || args(term).iter().any(|&arg| is_large(arg) || args(arg).iter().any(|&inner| is_large(inner)))
}

/// Are these bits that a constant of the format can have?
fn is_float(sort: FloatSort, bits: u128) -> bool {
    let all = u128::MAX >> (128 - soft_float::storage_bits(sort));
    let again = |bits| soft_float::from_smt_bits(sort, soft_float::to_smt_bits(sort, bits));
    bits <= all && soft_float::canonical(sort, bits) == bits && again(bits) == bits
}

fn read_sort(terms: &mut Terms, text: &str) -> Option<Sort> {
    let (sort, rest) = read_sort_within(terms, text, 0)?;
    rest.is_empty().then_some(sort)
}

/// The sort at the beginning of the text, and what follows it.
fn read_sort_within<'t>(terms: &mut Terms, text: &'t str, depth: usize) -> Option<(Sort, &'t str)> {
    if let Some(inner) = text.strip_prefix('[') {
        if depth >= MAX_NESTING {
            return None;
        }
        let (index, rest) = read_sort_within(terms, inner, depth + 1)?;
        let (element, rest) = read_sort_within(terms, rest.strip_prefix('>')?, depth + 1)?;
        return Some((terms.array_of(index, element), rest.strip_prefix(']')?));
    }
    let end = text.find(['>', ']']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let sort = match name {
        "Bool" => Sort::Bool,
        "Int" => Sort::Int,
        "f32" => Sort::Float(FloatSort::F32),
        "f64" => Sort::Float(FloatSort::F64),
        "f80" => Sort::Float(FloatSort::F80),
        "f128" => Sort::Float(FloatSort::F128),
        _ => Sort::Bv(name.strip_prefix("bv")?.parse().ok().filter(|width| (1..=128).contains(width))?),
    };
    Some((sort, rest))
}
