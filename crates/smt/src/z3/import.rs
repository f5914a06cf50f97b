//! Terms of Z3 read back as terms of ours: results of the Horn engine, of elimination and of projection.
//!
//! Reading goes through the builders, so what comes back is in our normal form. Operators that we do not have
//! make the reading fail; the caller then does without that result.

use super::family::Family;
use super::native::{Ast, NativeError, Result, View};
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::str::FromStr;
use summa_term::{FloatOp, Rounding, Sort, Term, Terms};
use z3_sys::DeclKind as D;

/// Larger results are useless and only cost time.
const NODE_LIMIT: usize = 50_000;

impl Family {
    /// Our term for a closed term of Z3. Iterative, each shared node once.
    pub(crate) fn import(&self, terms: &mut Terms, root: &Ast) -> Result<Term> {
        let mut done: FxHashMap<u32, Term> = FxHashMap::default();
        // Nodes, and whether their arguments are read.
        let mut stack = vec![(root.clone(), false)];
        let mut kept = Vec::new(); // the handles keep the ids of `done` valid
        while let Some((node, opened)) = stack.pop() {
            if done.contains_key(&node.id()) {
                continue;
            }
            if done.len() > NODE_LIMIT {
                return Err(NativeError("a result that is too large".into()));
            }
            let made = match (node.view()?, opened) {
                (View::Numeral, _) => self.import_numeral(terms, &node)?,
                (View::App(_, D::Uninterpreted, args), _) if args.is_empty() => {
                    let unknown = || NativeError(format!("a symbol that Z3 made: {node}"));
                    self.symbol_of(&node).ok_or_else(unknown)?
                }
                (View::App(_, _, args), false) if !args.is_empty() => {
                    stack.push((node, true));
                    let (_, args) = split_rounding(args)?;
                    stack.extend(
                        args.into_iter().filter(|arg| !done.contains_key(&arg.id())).map(|arg| (arg, false)),
                    );
                    continue;
                }
                (View::App(decl, kind, args), _) => {
                    let missing = || NativeError("an argument was not read".into());
                    let (rounding, args) = split_rounding(args)?;
                    let ours: Vec<Term> = args
                        .iter()
                        .map(|arg| done.get(&arg.id()).copied().ok_or_else(missing))
                        .collect::<Result<_>>()?;
                    let function = self.function_of(&decl);
                    let unknown = || NativeError(format!("an operator we do not have: {kind:?}"));
                    match function {
                        Some(function) => terms.apply(function, &ours),
                        None => {
                            let sort = node.sort(terms).ok_or_else(unknown)?;
                            let parameters = [decl.parameter(0), decl.parameter(1)];
                            build(terms, kind, &ours, sort, parameters, rounding).ok_or_else(unknown)?
                        }
                    }
                }
                (View::Bound(_) | View::Quantifier(..) | View::Other, _) => {
                    return Err(NativeError("a bound variable, quantifier or lambda".into()));
                }
            };
            done.insert(node.id(), made);
            kept.push(node);
        }
        done.get(&root.id()).copied().ok_or_else(|| NativeError("nothing was read".into()))
    }

    /// An integer, bit-vector or floating-point constant.
    pub(crate) fn import_numeral(&self, terms: &mut Terms, numeral: &Ast) -> Result<Term> {
        let unreadable = || NativeError(format!("a constant we cannot read: {numeral}"));
        match numeral.sort(terms) {
            Some(Sort::Int) => {
                let value = IBig::from_str(&numeral.digits()).map_err(|_| unreadable())?;
                Ok(terms.int(value))
            }
            Some(Sort::Bv(width)) => {
                let bits = u128::from_str(&numeral.digits()).map_err(|_| unreadable())?;
                Ok(terms.bv(width, bits))
            }
            Some(Sort::Float(float)) => {
                let bits = super::values::float_bits(numeral, float).ok_or_else(unreadable)?;
                Ok(terms.float(float, bits))
            }
            _ => Err(unreadable()),
        }
    }
}

/// The term that `kind` makes of `args`; `None` for operators we do not have.
fn build(
    terms: &mut Terms,
    kind: D,
    args: &[Term],
    sort: Sort,
    parameters: [u32; 2],
    rounding: Option<Rounding>,
) -> Option<Term> {
    if let Some(rounding) = rounding {
        return build_rounded(terms, kind, args, sort, rounding);
    }
    if let Some(made) = build_nary(terms, kind, args) {
        return Some(made);
    }
    match *args {
        [] => Some(match kind {
            D::True => Terms::TRUE,
            D::False => Terms::FALSE,
            _ => return None,
        }),
        [a] => build_unary(terms, kind, a, sort, parameters),
        [a, b] => build_binary(terms, kind, a, b),
        [a, b, c] => Some(match kind {
            D::Ite => terms.ite(a, b, c),
            D::Store => terms.store(a, b, c),
            _ => return None,
        }),
        _ => None,
    }
}

/// Operators on any number of arguments.
fn build_nary(terms: &mut Terms, kind: D, args: &[Term]) -> Option<Term> {
    let fold: fn(&mut Terms, Term, Term) -> Term = match kind {
        D::And => return Some(terms.and(args)),
        D::Or => return Some(terms.or(args)),
        D::Add => return Some(terms.add(args)),
        D::Distinct => return Some(terms.distinct(args)),
        D::Sub if args.len() > 1 => Terms::sub,
        D::Mul => Terms::mul,
        D::Badd => Terms::bv_add,
        D::Bsub => Terms::bv_sub,
        D::Bmul => Terms::bv_mul,
        D::Band => Terms::bv_and,
        D::Bor => Terms::bv_or,
        D::Bxor => Terms::bv_xor,
        D::Concat => Terms::bv_concat,
        _ => return None,
    };
    let (&first, rest) = args.split_first()?;
    Some(rest.iter().fold(first, |left, &right| fold(terms, left, right)))
}

fn build_unary(terms: &mut Terms, kind: D, a: Term, sort: Sort, parameters: [u32; 2]) -> Option<Term> {
    let width = match sort {
        Sort::Bv(width) => width,
        _ => 0,
    };
    let small = |value: u32| u8::try_from(value).ok();
    Some(match kind {
        D::Not => terms.not(a),
        D::Uminus => terms.neg(a),
        D::Abs => {
            let (zero, negated) = (terms.int(0), terms.neg(a));
            let positive = terms.ge(a, zero);
            terms.ite(positive, a, negated)
        }
        D::Bnot => terms.bv_not(a),
        D::Bneg => terms.bv_neg(a),
        D::SignExt => terms.bv_sign_extend(a, width),
        D::ZeroExt => terms.bv_zero_extend(a, width),
        D::Extract => terms.bv_extract(small(parameters[0])?, small(parameters[1])?, a),
        D::Bit2bool => {
            let bit = small(parameters[0])?;
            let (bit, one) = (terms.bv_extract(bit, bit, a), terms.bv(1, 1));
            terms.eq(bit, one)
        }
        D::ConstArray => terms.const_array(sort, a),
        D::FpaNeg => terms.float_neg(a),
        D::FpaAbs => terms.float_abs(a),
        D::FpaIsNan => terms.float_is_nan(a),
        D::FpaIsInf => terms.float_is_inf(a),
        D::FpaIsNegative => terms.float_is_negative(a),
        D::FpaToFp => match (terms.sort(a), sort) {
            (Sort::Bv(_), Sort::Float(float)) => terms.float_from_bits(a, float),
            _ => return None,
        },
        _ => return None,
    })
}

fn build_binary(terms: &mut Terms, kind: D, a: Term, b: Term) -> Option<Term> {
    Some(match kind {
        D::Eq | D::Iff => terms.eq(a, b),
        D::Xor => terms.ne(a, b),
        D::Implies => terms.implies(a, b),
        D::Le => terms.le(a, b),
        D::Lt => terms.lt(a, b),
        D::Ge => terms.le(b, a),
        D::Gt => terms.lt(b, a),
        D::Idiv => terms.div(a, b),
        D::Mod => terms.modulo(a, b),
        D::Select => terms.select(a, b),
        D::Uleq => terms.bv_ule(a, b),
        D::Ult => terms.bv_ult(a, b),
        D::Ugeq => terms.bv_ule(b, a),
        D::Ugt => terms.bv_ult(b, a),
        D::Sleq => terms.bv_sle(a, b),
        D::Slt => terms.bv_slt(a, b),
        D::Sgeq => terms.bv_sle(b, a),
        D::Sgt => terms.bv_slt(b, a),
        // The variants with `I` are what Z3's rewriter leaves for divisors that are not zero.
        D::Budiv | D::BudivI => terms.bv_udiv(a, b),
        D::Burem | D::BuremI => terms.bv_urem(a, b),
        D::Bsdiv | D::BsdivI => terms.bv_sdiv(a, b),
        D::Bsrem | D::BsremI => terms.bv_srem(a, b),
        D::Bshl => terms.bv_shl(a, b),
        D::Blshr => terms.bv_lshr(a, b),
        D::Bashr => terms.bv_ashr(a, b),
        D::Bcomp => {
            let (equal, one, zero) = (terms.eq(a, b), terms.bv(1, 1), terms.bv(1, 0));
            terms.ite(equal, one, zero)
        }
        D::FpaEq => terms.float_eq(a, b),
        D::FpaLt => terms.float_lt(a, b),
        D::FpaLe => terms.float_le(a, b),
        D::FpaGt => terms.float_lt(b, a),
        D::FpaGe => terms.float_le(b, a),
        D::FpaRem => terms.float_rem(a, b),
        _ => return None,
    })
}

/// Floating-point operators that round. Conversions to bit-vectors truncate, other directions have no term of
/// ours.
fn build_rounded(terms: &mut Terms, kind: D, args: &[Term], sort: Sort, rounding: Rounding) -> Option<Term> {
    if matches!(kind, D::FpaToSbv | D::FpaToUbv) && rounding != Rounding::Zero {
        return None;
    }
    let op = match (kind, args, sort) {
        (D::FpaRoundToIntegral, &[a], _) => return Some(terms.float_round_to_integral(rounding, a)),
        (D::FpaToSbv, &[a], Sort::Bv(width)) => return Some(terms.float_to_sbv(a, width)),
        (D::FpaToUbv, &[a], Sort::Bv(width)) => return Some(terms.float_to_ubv(a, width)),
        (D::FpaAdd, [_, _], _) => FloatOp::Add,
        (D::FpaSub, [_, _], _) => FloatOp::Sub,
        (D::FpaMul, [_, _], _) => FloatOp::Mul,
        (D::FpaDiv, [_, _], _) => FloatOp::Div,
        (D::FpaSqrt, [_], _) => FloatOp::Sqrt,
        (D::FpaFma, [_, _, _], _) => FloatOp::Fma,
        (D::FpaToFpUnsigned, [_], _) => FloatOp::FromUbv,
        (D::FpaToFp, &[a], _) => match terms.sort(a) {
            Sort::Float(_) => FloatOp::FromFloat,
            Sort::Bv(_) => FloatOp::FromSbv,
            _ => return None,
        },
        _ => return None,
    };
    let Sort::Float(to) = sort else { return None };
    (rounding != Rounding::NearestAway).then(|| terms.float_rounded(op, rounding, args, to))
}

/// Z3 gives rounding modes as first arguments; ours are part of the operator.
fn split_rounding(mut args: Vec<Ast>) -> Result<(Option<Rounding>, Vec<Ast>)> {
    let rounding = match args.first().map(Ast::view).transpose()? {
        Some(View::App(_, kind, _)) => match kind {
            D::FpaRmNearestTiesToEven => Some(Rounding::NearestEven),
            D::FpaRmNearestTiesToAway => Some(Rounding::NearestAway),
            D::FpaRmTowardPositive => Some(Rounding::Up),
            D::FpaRmTowardNegative => Some(Rounding::Down),
            D::FpaRmTowardZero => Some(Rounding::Zero),
            _ => None,
        },
        _ => None,
    };
    if rounding.is_some() {
        args.remove(0);
    }
    Ok((rounding, args))
}
