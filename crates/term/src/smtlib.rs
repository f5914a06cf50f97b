//! Terms as SMT-LIB 2 text. Shared subterms are bound by `let`, so the text is as long as the graph, not as
//! the tree.

use crate::kind::{FloatOp, FunctionId, Kind, Op, Quantifier, Rounding, SymbolId};
use crate::soft_float;
use crate::sort::Sort;
use crate::store::{Term, Terms};
use dashu_int::IBig;
use std::fmt::Write;
use summa_base::{FxHashMap, FxHashSet};

/// A whole script: declarations, one assertion for each formula, `check-sat`.
pub fn script(terms: &Terms, formulas: &[Term]) -> String {
    let mut printer = Printer::new(terms);
    let mut out = String::from("(set-logic ALL)\n");
    printer.declarations(formulas, &mut out);
    for &formula in formulas {
        out.push_str("(assert ");
        printer.print(formula, &mut out);
        out.push_str(")\n");
    }
    out.push_str("(check-sat)\n");
    out
}

/// One term.
pub fn print(terms: &Terms, term: Term) -> String {
    let mut out = String::new();
    Printer::new(terms).print(term, &mut out);
    out
}

pub fn sort_text(terms: &Terms, sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Float(format) => {
            let (exponent, significand) = format.shape();
            format!("(_ FloatingPoint {exponent} {significand})")
        }
        Sort::Array(array) => {
            let (index, element) = terms.array_sort(array);
            format!("(Array {} {})", sort_text(terms, index), sort_text(terms, element))
        }
    }
}

struct Printer<'a> {
    terms: &'a Terms,
    /// Names as they are printed, and whose they are: families of different sorts may have one name.
    owners: FxHashMap<String, SymbolId>,
    /// Terms bound by an enclosing `let`, with their number.
    bound: FxHashMap<Term, usize>,
    next_number: usize,
}

/// What is still to be written.
enum Item {
    Term(Term),
    Text(&'static str),
}

impl<'a> Printer<'a> {
    fn new(terms: &'a Terms) -> Self {
        Self { terms, owners: FxHashMap::default(), bound: FxHashMap::default(), next_number: 0 }
    }

    fn declarations(&mut self, formulas: &[Term], out: &mut String) {
        let mut symbols = Vec::new();
        for &formula in formulas {
            symbols.extend(self.terms.free_symbols(formula));
        }
        symbols.sort_unstable();
        symbols.dedup();
        for symbol in symbols {
            out.push_str("(declare-const ");
            self.symbol(symbol, out);
            let _ = writeln!(out, " {})", sort_text(self.terms, self.terms.sort(symbol)));
        }
        let mut functions: Vec<FunctionId> = Vec::new();
        for term in self.terms.post_order(formulas) {
            if let Some((Op::Apply(function), _)) = self.terms.as_app(term) {
                functions.push(function);
            }
        }
        functions.sort_unstable();
        functions.dedup();
        for function in functions {
            let info = self.terms.function_info(function);
            let args: Vec<String> = info.args.iter().map(|&sort| sort_text(self.terms, sort)).collect();
            let name = function_text(self.terms, function);
            let result = sort_text(self.terms, info.result);
            let _ = writeln!(out, "(declare-fun {name} ({}) {result})", args.join(" "));
        }
    }

    /// A term with `let`s for what occurs more than once in it. The body of a quantifier has its own.
    fn print(&mut self, root: Term, out: &mut String) {
        let shared = self.shared_subterms(root);
        for &term in &shared {
            let _ = write!(out, "(let ((?{} ", self.next_number);
            self.tree(term, out);
            out.push_str(")) ");
            self.bound.insert(term, self.next_number);
            self.next_number += 1;
        }
        self.tree(root, out);
        out.extend(std::iter::repeat_n(')', shared.len()));
        for term in &shared {
            self.bound.remove(term);
        }
    }

    /// Applications with more than one parent below `root`, children first.
    fn shared_subterms(&self, root: Term) -> Vec<Term> {
        let mut once = FxHashSet::default();
        let mut shared = FxHashSet::default();
        let mut stack = vec![(root, false)];
        let mut order = Vec::new();
        while let Some((term, done)) = stack.pop() {
            if done {
                order.push(term);
                continue;
            }
            let Kind::App(_, args) = self.terms.kind(term) else { continue };
            if self.bound.contains_key(&term) {
                continue;
            }
            if !once.insert(term) {
                shared.insert(term);
                continue;
            }
            stack.push((term, true));
            stack.extend(args.iter().rev().map(|&arg| (arg, false)));
        }
        order.retain(|term| shared.contains(term));
        order
    }

    /// A term without further `let`s.
    fn tree(&mut self, root: Term, out: &mut String) {
        let mut items = vec![Item::Term(root)];
        while let Some(item) = items.pop() {
            let term = match item {
                Item::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Item::Term(term) => term,
            };
            if let Some(number) = self.bound.get(&term) {
                let _ = write!(out, "?{number}");
                continue;
            }
            match self.terms.kind(term) {
                Kind::App(op, args) => {
                    let _ = write!(out, "({}", self.operator(*op, args, self.terms.sort(term)));
                    items.push(Item::Text(")"));
                    for &arg in args.iter().rev() {
                        items.push(Item::Term(arg));
                        items.push(Item::Text(" "));
                    }
                }
                Kind::Quantified(quantifier, symbols, body) => {
                    out.push_str(match quantifier {
                        Quantifier::Exists => "(exists (",
                        Quantifier::Forall => "(forall (",
                    });
                    for &symbol in symbols {
                        out.push('(');
                        self.symbol(symbol, out);
                        let _ = write!(out, " {})", sort_text(self.terms, self.terms.sort(symbol)));
                    }
                    out.push_str(") ");
                    // What is bound outside may have other symbols of these names: it is not used inside.
                    let outside = std::mem::take(&mut self.bound);
                    self.print(*body, out);
                    self.bound = outside;
                    out.push(')');
                }
                Kind::Symbol(..) => self.symbol(term, out),
                _ => self.constant(term, out),
            }
        }
    }

    fn symbol(&mut self, term: Term, out: &mut String) {
        let Some((symbol, version)) = self.terms.as_symbol(term) else { return };
        let mut name = self.terms.symbol_name(symbol).to_owned();
        if *self.owners.entry(name.clone()).or_insert(symbol) != symbol {
            let _ = write!(name, "!{symbol:?}");
        }
        let _ = write!(name, "@{version}");
        out.push_str(&quoted(&name));
    }

    fn constant(&self, term: Term, out: &mut String) {
        let _ = match (self.terms.kind(term), self.terms.sort(term)) {
            (Kind::True, _) => write!(out, "true"),
            (Kind::False, _) => write!(out, "false"),
            (Kind::Int(value), _) if *value < IBig::ZERO => write!(out, "(- {})", -value),
            (Kind::Int(value), _) => write!(out, "{value}"),
            (Kind::Bv(bits), Sort::Bv(width)) => write!(out, "(_ bv{bits} {width})"),
            (Kind::Float(bits), Sort::Float(format)) => {
                let (exponent, significand) = format.shape();
                if soft_float::is_nan(format, *bits) {
                    write!(out, "(_ NaN {exponent} {significand})")
                } else {
                    let bits = soft_float::to_smt_bits(format, *bits);
                    let width = exponent + significand;
                    write!(out, "((_ to_fp {exponent} {significand}) (_ bv{bits} {width}))")
                }
            }
            _ => Ok(()),
        };
    }

    /// The operator with its indices and rounding mode, without parenthesis before it.
    fn operator(&self, op: Op, args: &[Term], sort: Sort) -> String {
        let to_fp = |name: &str| match sort {
            Sort::Float(format) => format!("(_ {name} {} {})", format.shape().0, format.shape().1),
            _ => name.to_owned(),
        };
        let extension = |name: &str| match (sort, self.terms.sort(args[0])) {
            (Sort::Bv(to), Sort::Bv(from)) => format!("(_ {name} {})", to - from),
            _ => name.to_owned(),
        };
        let to_bv = |name: &str| match sort {
            Sort::Bv(width) => format!("(_ {name} {width}) RTZ"),
            _ => name.to_owned(),
        };
        let plain = match op {
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Ite => "ite",
            Op::Eq => "=",
            Op::Add => "+",
            Op::Mul => "*",
            Op::Div => "div",
            Op::Mod => "mod",
            Op::Le => "<=",
            Op::Lt => "<",
            Op::BvNot => "bvnot",
            Op::BvNeg => "bvneg",
            Op::BvAdd => "bvadd",
            Op::BvSub => "bvsub",
            Op::BvMul => "bvmul",
            Op::BvUdiv => "bvudiv",
            Op::BvUrem => "bvurem",
            Op::BvSdiv => "bvsdiv",
            Op::BvSrem => "bvsrem",
            Op::BvAnd => "bvand",
            Op::BvOr => "bvor",
            Op::BvXor => "bvxor",
            Op::BvShl => "bvshl",
            Op::BvLshr => "bvlshr",
            Op::BvAshr => "bvashr",
            Op::BvUlt => "bvult",
            Op::BvUle => "bvule",
            Op::BvSlt => "bvslt",
            Op::BvSle => "bvsle",
            Op::BvConcat => "concat",
            Op::BvExtract { hi, lo } => return format!("(_ extract {hi} {lo})"),
            Op::BvZeroExtend => return extension("zero_extend"),
            Op::BvSignExtend => return extension("sign_extend"),
            Op::FloatAdd => "fp.add RNE",
            Op::FloatSub => "fp.sub RNE",
            Op::FloatMul => "fp.mul RNE",
            Op::FloatDiv => "fp.div RNE",
            Op::FloatRem => "fp.rem",
            Op::FloatSqrt => "fp.sqrt RNE",
            Op::FloatNeg => "fp.neg",
            Op::FloatAbs => "fp.abs",
            Op::FloatRoundToIntegral(rounding) => {
                return format!("fp.roundToIntegral {}", rounding_text(rounding));
            }
            Op::FloatRounded(op, rounding) => {
                let name = match op {
                    FloatOp::Add => "fp.add".to_owned(),
                    FloatOp::Sub => "fp.sub".to_owned(),
                    FloatOp::Mul => "fp.mul".to_owned(),
                    FloatOp::Div => "fp.div".to_owned(),
                    FloatOp::Sqrt => "fp.sqrt".to_owned(),
                    FloatOp::Fma => "fp.fma".to_owned(),
                    FloatOp::FromFloat | FloatOp::FromSbv => to_fp("to_fp"),
                    FloatOp::FromUbv => to_fp("to_fp_unsigned"),
                };
                return format!("{name} {}", rounding_text(rounding));
            }
            Op::FloatEq => "fp.eq",
            Op::FloatLt => "fp.lt",
            Op::FloatLe => "fp.leq",
            Op::FloatIsNan => "fp.isNaN",
            Op::FloatIsInf => "fp.isInfinite",
            Op::FloatIsNegative => "fp.isNegative",
            Op::FloatToFloat | Op::FloatFromSbv => return to_fp("to_fp") + " RNE",
            Op::FloatFromUbv => return to_fp("to_fp_unsigned") + " RNE",
            Op::FloatToSbv => return to_bv("fp.to_sbv"),
            Op::FloatToUbv => return to_bv("fp.to_ubv"),
            Op::FloatFromBits => return to_fp("to_fp"),
            Op::Select => "select",
            Op::Store => "store",
            Op::ConstArray => return format!("(as const {})", sort_text(self.terms, sort)),
            Op::Apply(function) => return function_text(self.terms, function),
        };
        plain.to_owned()
    }
}

/// Functions get a prefix: `select` is a name in C.
fn function_text(terms: &Terms, function: FunctionId) -> String {
    quoted(&format!("uf!{}", terms.function_name(function)))
}

/// A symbol of SMT-LIB. Every name here ends or begins with what no keyword has.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let reserved_start = |c: char| c.is_ascii_digit() || c == '@' || c == '.';
    if name.chars().all(plain) && !name.starts_with(reserved_start) {
        return name.to_owned();
    }
    // Neither character can stand in a quoted symbol. The replacements are unlikely in names of C, and names
    // are for readers.
    format!("|{}|", name.replace('|', "\u{a6}").replace('\\', "/"))
}
fn rounding_text(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::Down => "RTN",
        Rounding::Up => "RTP",
        Rounding::Zero => "RTZ",
    }
}
