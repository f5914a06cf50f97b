//! Substitution and renaming. Results are rebuilt through the simplifying builders; nothing recurses but
//! nested quantifiers.
//!
//! A [`Renaming`] remembers its results. So instantiating a block formula again with the same versions costs
//! one look-up, and what two instances share is renamed once.

use crate::kind::{Kind, Op, SymbolId};
use crate::sort::Sort;
use crate::store::{Term, Terms};
use crate::walk::SymbolSets;
use summa_base::FxHashMap;

/// A memoised map of terms that replaces symbols. Use one for each assignment of symbols: entries are never
/// removed.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    done: FxHashMap<Term, Term>,
}

impl Renaming {
    pub fn new() -> Self {
        Self::default()
    }

    /// `term` with every free symbol replaced by what `replace` gives, which must always be the same for a
    /// symbol.
    pub fn apply(
        &mut self,
        terms: &mut Terms,
        term: Term,
        mut replace: impl FnMut(&mut Terms, SymbolId, u32) -> Term,
    ) -> Term {
        let mut leaf = |terms: &mut Terms, term: Term| {
            let (symbol, version) = terms.as_symbol(term)?;
            Some(replace(terms, symbol, version))
        };
        terms.rewrite(term, &mut self.done, &mut leaf, true)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.done.clear();
    }
}

/// Gives the replacement of a term, or `None` to go into its arguments.
type Leaf<'a> = dyn FnMut(&mut Terms, Term) -> Option<Term> + 'a;

impl Terms {
    /// `term` with every occurrence of a key replaced by its value, all at once. Keys may be any terms;
    /// occurrences in replacements are not replaced again.
    pub fn substitute(&mut self, term: Term, map: &FxHashMap<Term, Term>) -> Term {
        if map.is_empty() {
            return term;
        }
        let skip_ground = map.keys().all(|&key| !self.node(key).is_ground);
        self.rewrite(term, &mut FxHashMap::default(), &mut |_, term| map.get(&term).copied(), skip_ground)
    }

    /// The same for several terms; shared parts are replaced once.
    pub fn substitute_all(&mut self, all: &[Term], map: &FxHashMap<Term, Term>) -> Vec<Term> {
        let skip_ground = map.keys().all(|&key| !self.node(key).is_ground);
        let (mut done, mut leaf) = (FxHashMap::default(), |_: &mut Terms, term| map.get(&term).copied());
        all.iter().map(|&term| self.rewrite(term, &mut done, &mut leaf, skip_ground)).collect()
    }

    /// `term` with every free symbol replaced. [`Renaming`] does the same and remembers.
    pub fn rename(&mut self, term: Term, mut replace: impl FnMut(SymbolId, u32) -> Term) -> Term {
        Renaming::new().apply(self, term, |_, symbol, version| replace(symbol, version))
    }

    /// `term` with every free symbol replaced by another one of the same sort.
    pub fn rename_symbols(
        &mut self,
        term: Term,
        mut replace: impl FnMut(SymbolId, u32) -> (SymbolId, u32),
    ) -> Term {
        Renaming::new().apply(self, term, |terms, symbol, version| {
            let (symbol, version) = replace(symbol, version);
            terms.symbol(symbol, version)
        })
    }

    fn rewrite(
        &mut self,
        root: Term,
        done: &mut FxHashMap<Term, Term>,
        leaf: &mut Leaf<'_>,
        skip_ground: bool,
    ) -> Term {
        let mut stack = vec![root];
        let mut args = Vec::new();
        while let Some(&term) = stack.last() {
            if done.contains_key(&term) {
                stack.pop();
                continue;
            }
            let replaced =
                if skip_ground && self.node(term).is_ground { Some(term) } else { leaf(self, term) };
            if let Some(replacement) = replaced {
                let same = self.sort(replacement) == self.sort(term);
                assert!(same, "a replacement has the sort of what it replaces");
                done.insert(term, replacement);
                stack.pop();
                continue;
            }
            let (op, old) = match self.kind(term) {
                Kind::App(op, args) => (*op, args),
                Kind::Quantified(..) => {
                    let result = self.rewrite_quantified(term, leaf, skip_ground);
                    done.insert(term, result);
                    stack.pop();
                    continue;
                }
                _ => {
                    done.insert(term, term);
                    stack.pop();
                    continue;
                }
            };
            args.clear();
            let waiting = stack.len();
            for &arg in old {
                match done.get(&arg) {
                    Some(&new) => args.push(new),
                    None if skip_ground && self.node(arg).is_ground => args.push(arg),
                    None => stack.push(arg),
                }
            }
            if stack.len() > waiting {
                continue;
            }
            let result = if args[..] == old[..] { term } else { self.build(op, &args, self.sort(term)) };
            done.insert(term, result);
            stack.pop();
        }
        done[&root]
    }

    /// Bound symbols are not replaced; they get new versions where a replacement would be captured.
    fn rewrite_quantified(&mut self, term: Term, leaf: &mut Leaf<'_>, skip_ground: bool) -> Term {
        let Kind::Quantified(quantifier, bound, body) = self.kind(term).clone() else { return term };
        // The replacements that can be captured: those of the symbols free in the body.
        let free = SymbolSets::new().of(self, body).to_vec();
        let mut incoming = Vec::new();
        for &symbol in free.iter().filter(|symbol| !bound.contains(symbol)) {
            let replacement = leaf(self, symbol).unwrap_or(symbol);
            incoming.extend(self.free_symbols(replacement));
        }
        let mut fresh = Vec::with_capacity(bound.len());
        for &symbol in &bound {
            let Some((family, _)) = self.as_symbol(symbol).filter(|_| incoming.contains(&symbol)) else {
                fresh.push(symbol);
                continue;
            };
            let used =
                incoming.iter().chain(&free).chain(&fresh).chain(&bound).filter_map(|&s| self.as_symbol(s));
            let last = used.filter(|&(f, _)| f == family).map(|(_, version)| version).max().unwrap_or(0);
            assert!(last < u32::MAX, "a version is free");
            fresh.push(self.symbol(family, last + 1));
        }
        let mut inner = |terms: &mut Terms, term: Term| match bound.iter().position(|&symbol| symbol == term)
        {
            Some(index) => Some(fresh[index]),
            None => leaf(terms, term),
        };
        let body = self.rewrite(body, &mut FxHashMap::default(), &mut inner, skip_ground);
        self.quantify(quantifier, &fresh, body)
    }

    /// The application of any operator through its builder. The sort is that of the result, and counts where
    /// the operator does not determine it.
    pub fn build(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        match (op, args, sort) {
            (Op::Not, &[a], _) => self.not(a),
            (Op::And, _, _) => self.and(args),
            (Op::Or, _, _) => self.or(args),
            (Op::Ite, &[c, a, b], _) => self.ite(c, a, b),
            (Op::Eq, &[a, b], _) => self.eq(a, b),
            (Op::Add, _, _) => self.add(args),
            (Op::Mul, &[a, b], _) => self.mul(a, b),
            (Op::Div, &[a, b], _) => self.div(a, b),
            (Op::Mod, &[a, b], _) => self.modulo(a, b),
            (Op::Le, &[a, b], _) => self.le(a, b),
            (Op::Lt, &[a, b], _) => self.lt(a, b),
            (Op::BvNot, &[a], _) => self.bv_not(a),
            (Op::BvNeg, &[a], _) => self.bv_neg(a),
            (Op::BvAdd, &[a, b], _) => self.bv_add(a, b),
            (Op::BvSub, &[a, b], _) => self.bv_sub(a, b),
            (Op::BvMul, &[a, b], _) => self.bv_mul(a, b),
            (Op::BvUdiv, &[a, b], _) => self.bv_udiv(a, b),
            (Op::BvUrem, &[a, b], _) => self.bv_urem(a, b),
            (Op::BvSdiv, &[a, b], _) => self.bv_sdiv(a, b),
            (Op::BvSrem, &[a, b], _) => self.bv_srem(a, b),
            (Op::BvAnd, &[a, b], _) => self.bv_and(a, b),
            (Op::BvOr, &[a, b], _) => self.bv_or(a, b),
            (Op::BvXor, &[a, b], _) => self.bv_xor(a, b),
            (Op::BvShl, &[a, b], _) => self.bv_shl(a, b),
            (Op::BvLshr, &[a, b], _) => self.bv_lshr(a, b),
            (Op::BvAshr, &[a, b], _) => self.bv_ashr(a, b),
            (Op::BvUlt, &[a, b], _) => self.bv_ult(a, b),
            (Op::BvUle, &[a, b], _) => self.bv_ule(a, b),
            (Op::BvSlt, &[a, b], _) => self.bv_slt(a, b),
            (Op::BvSle, &[a, b], _) => self.bv_sle(a, b),
            (Op::BvConcat, &[a, b], _) => self.bv_concat(a, b),
            (Op::BvExtract { hi, lo }, &[a], _) => self.bv_extract(hi, lo, a),
            (Op::BvZeroExtend, &[a], Sort::Bv(width)) => self.bv_zero_extend(a, width),
            (Op::BvSignExtend, &[a], Sort::Bv(width)) => self.bv_sign_extend(a, width),
            (Op::FloatAdd, &[a, b], _) => self.float_add(a, b),
            (Op::FloatSub, &[a, b], _) => self.float_sub(a, b),
            (Op::FloatMul, &[a, b], _) => self.float_mul(a, b),
            (Op::FloatDiv, &[a, b], _) => self.float_div(a, b),
            (Op::FloatRem, &[a, b], _) => self.float_rem(a, b),
            (Op::FloatSqrt, &[a], _) => self.float_sqrt(a),
            (Op::FloatNeg, &[a], _) => self.float_neg(a),
            (Op::FloatAbs, &[a], _) => self.float_abs(a),
            (Op::FloatRoundToIntegral(rounding), &[a], _) => self.float_round_to_integral(rounding, a),
            (Op::FloatRounded(op, rounding), args, Sort::Float(to)) => {
                self.float_rounded(op, rounding, args, to)
            }
            (Op::FloatEq, &[a, b], _) => self.float_eq(a, b),
            (Op::FloatLt, &[a, b], _) => self.float_lt(a, b),
            (Op::FloatLe, &[a, b], _) => self.float_le(a, b),
            (Op::FloatIsNan, &[a], _) => self.float_is_nan(a),
            (Op::FloatIsInf, &[a], _) => self.float_is_inf(a),
            (Op::FloatIsNegative, &[a], _) => self.float_is_negative(a),
            (Op::FloatToFloat, &[a], Sort::Float(to)) => self.float_to_float(a, to),
            (Op::FloatFromSbv, &[a], Sort::Float(to)) => self.float_from_sbv(a, to),
            (Op::FloatFromUbv, &[a], Sort::Float(to)) => self.float_from_ubv(a, to),
            (Op::FloatToSbv, &[a], Sort::Bv(width)) => self.float_to_sbv(a, width),
            (Op::FloatToUbv, &[a], Sort::Bv(width)) => self.float_to_ubv(a, width),
            (Op::FloatFromBits, &[a], Sort::Float(to)) => self.float_from_bits(a, to),
            (Op::Select, &[array, index], _) => self.select(array, index),
            (Op::Store, &[array, index, value], _) => self.store(array, index, value),
            (Op::ConstArray, &[value], _) => self.const_array(sort, value),
            (Op::Apply(function), _, _) => self.apply(function, args),
            _ => panic!("{op:?} does not take {} arguments to {sort:?}", args.len()),
        }
    }
}
