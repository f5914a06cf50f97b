//! Every operator of [`summa_term`] as a call of Z3.

use super::{Ast, Context, Decl, NativeError, Result, length};
use std::ffi::CString;
use std::rc::Rc;
use summa_term::{FloatOp, FloatSort, Op, Quantifier, Rounding, Sort, Terms};
use z3_sys::*;

type Binary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>;

impl Context {
    pub(crate) fn boolean(self: &Rc<Self>, value: bool) -> Result<Ast> {
        // SAFETY: no arguments but the context.
        self.own(unsafe { if value { Z3_mk_true(self.raw) } else { Z3_mk_false(self.raw) } })
    }

    /// An integer or bit-vector constant from its decimal digits.
    pub(crate) fn numeral(self: &Rc<Self>, terms: &Terms, digits: &str, sort: Sort) -> Result<Ast> {
        let digits = CString::new(digits).map_err(|_| NativeError("zero byte in a number".into()))?;
        let sort = self.sort(terms, sort)?;
        // SAFETY: the text outlives the call; the sort belongs to this context.
        self.own(unsafe { Z3_mk_numeral(self.raw, digits.as_ptr(), sort) })
    }

    /// Small numbers, without going through text.
    pub(crate) fn small_numeral(self: &Rc<Self>, terms: &Terms, value: i64, sort: Sort) -> Result<Ast> {
        let sort = self.sort(terms, sort)?;
        // SAFETY: the sort belongs to this context.
        self.own(unsafe { Z3_mk_int64(self.raw, value, sort) })
    }

    /// The floating-point constant with these interchange bits (x87: with the explicit leading one).
    pub(crate) fn float(self: &Rc<Self>, terms: &Terms, bits: u128, float: FloatSort) -> Result<Ast> {
        let (exponent, significand) = float.shape();
        let bits = if float == FloatSort::F80 { drop_leading_one(bits) } else { bits };
        let width = exponent + significand;
        let width = u8::try_from(width).map_err(|_| NativeError("float too wide".into()))?;
        let vector = self.numeral(terms, &bits.to_string(), Sort::Bv(width))?;
        let sort = self.sort(terms, Sort::Float(float))?;
        // SAFETY: vector and sort belong to this context.
        let made = self.own(unsafe { Z3_mk_fpa_to_fp_bv(self.raw, vector.raw, sort) })?;
        made.simplify() // so that it is a value, also for readers of models
    }

    pub(crate) fn quantify(
        self: &Rc<Self>,
        quantifier: Quantifier,
        bound: &[Ast],
        body: &Ast,
    ) -> Result<Ast> {
        let bound = self.as_apps(bound)?;
        let (count, none) = (length(bound.len()), std::ptr::null());
        // SAFETY: `bound` are constants of this context (`as_apps`), there are no patterns.
        self.own(unsafe {
            match quantifier {
                Quantifier::Exists => {
                    Z3_mk_exists_const(self.raw, 0, count, bound.as_ptr(), 0, none, body.raw)
                }
                Quantifier::Forall => {
                    Z3_mk_forall_const(self.raw, 0, count, bound.as_ptr(), 0, none, body.raw)
                }
            }
        })
    }

    pub(super) fn as_apps(&self, constants: &[Ast]) -> Result<Vec<Z3_app>> {
        // SAFETY: a checked cast, for living terms of this context.
        constants
            .iter()
            .map(|ast| unsafe { Z3_to_app(self.raw, ast.raw) }.ok_or_else(|| self.error()))
            .collect()
    }

    /// `op` on `args` with a result of `sort`. `functions` gives the declaration of an uninterpreted
    /// function.
    pub(crate) fn apply(
        self: &Rc<Self>,
        terms: &Terms,
        op: Op,
        args: &[Ast],
        sort: Sort,
        function: Option<&Decl>,
    ) -> Result<Ast> {
        if let Some(function) = function {
            return function.apply(args);
        }
        let raw: Vec<Z3_ast> = args.iter().map(|arg| arg.raw).collect();
        let target = self.sort(terms, sort)?;
        // SAFETY: arguments and sorts belong to this context and live during the call; Z3 checks their sorts
        // itself.
        let made = unsafe { self.raw_apply(terms, op, &raw, sort, target)? };
        self.own(made)
    }

    /// # Safety
    /// `args` are living terms and `target` is a sort of this context.
    unsafe fn raw_apply(
        self: &Rc<Self>,
        terms: &Terms,
        op: Op,
        args: &[Z3_ast],
        sort: Sort,
        target: Z3_sort,
    ) -> Result<Option<Z3_ast>> {
        let c = self.raw;
        let count = length(args.len());
        let all = args.as_ptr();
        let first = args.first().copied();
        let one = || first.ok_or_else(|| NativeError(format!("{op:?} without arguments")));
        // SAFETY: by the contract of this function.
        let made = unsafe {
            match op {
                Op::Not => Z3_mk_not(c, one()?),
                Op::And => Z3_mk_and(c, count, all),
                Op::Or => Z3_mk_or(c, count, all),
                Op::Add => Z3_mk_add(c, count, all),
                Op::Mul => Z3_mk_mul(c, count, all),
                Op::Ite | Op::Store => match (op, args) {
                    (Op::Ite, &[condition, yes, no]) => Z3_mk_ite(c, condition, yes, no),
                    (_, &[array, index, element]) => Z3_mk_store(c, array, index, element),
                    _ => return Err(NativeError(format!("{op:?} needs three arguments"))),
                },
                Op::BvNot => Z3_mk_bvnot(c, one()?),
                Op::BvNeg => Z3_mk_bvneg(c, one()?),
                Op::BvExtract { hi, lo } => Z3_mk_extract(c, u32::from(hi), u32::from(lo), one()?),
                Op::BvZeroExtend => Z3_mk_zero_ext(c, self.growth(one()?, sort)?, one()?),
                Op::BvSignExtend => Z3_mk_sign_ext(c, self.growth(one()?, sort)?, one()?),
                Op::FloatNeg => Z3_mk_fpa_neg(c, one()?),
                Op::FloatAbs => Z3_mk_fpa_abs(c, one()?),
                Op::FloatSqrt => Z3_mk_fpa_sqrt(c, self.rounding(Rounding::NearestEven)?.raw, one()?),
                Op::FloatRoundToIntegral(mode) => {
                    Z3_mk_fpa_round_to_integral(c, self.rounding(mode)?.raw, one()?)
                }
                Op::FloatRounded(op, mode) => {
                    let mode = self.rounding(mode)?;
                    match (op, args) {
                        (FloatOp::Add, &[a, b]) => Z3_mk_fpa_add(c, mode.raw, a, b),
                        (FloatOp::Sub, &[a, b]) => Z3_mk_fpa_sub(c, mode.raw, a, b),
                        (FloatOp::Mul, &[a, b]) => Z3_mk_fpa_mul(c, mode.raw, a, b),
                        (FloatOp::Div, &[a, b]) => Z3_mk_fpa_div(c, mode.raw, a, b),
                        (FloatOp::Sqrt, &[a]) => Z3_mk_fpa_sqrt(c, mode.raw, a),
                        (FloatOp::Fma, &[x, y, z]) => Z3_mk_fpa_fma(c, mode.raw, x, y, z),
                        (FloatOp::FromFloat, &[a]) => Z3_mk_fpa_to_fp_float(c, mode.raw, a, target),
                        (FloatOp::FromSbv, &[a]) => Z3_mk_fpa_to_fp_signed(c, mode.raw, a, target),
                        (FloatOp::FromUbv, &[a]) => Z3_mk_fpa_to_fp_unsigned(c, mode.raw, a, target),
                        _ => return Err(NativeError(format!("{op:?} with {count} arguments"))),
                    }
                }
                Op::FloatIsNan => Z3_mk_fpa_is_nan(c, one()?),
                Op::FloatIsInf => Z3_mk_fpa_is_infinite(c, one()?),
                Op::FloatIsNegative => Z3_mk_fpa_is_negative(c, one()?),
                Op::FloatToFloat => {
                    Z3_mk_fpa_to_fp_float(c, self.rounding(Rounding::NearestEven)?.raw, one()?, target)
                }
                Op::FloatFromSbv => {
                    Z3_mk_fpa_to_fp_signed(c, self.rounding(Rounding::NearestEven)?.raw, one()?, target)
                }
                Op::FloatFromUbv => {
                    Z3_mk_fpa_to_fp_unsigned(c, self.rounding(Rounding::NearestEven)?.raw, one()?, target)
                }
                Op::FloatToSbv => {
                    Z3_mk_fpa_to_sbv(c, self.rounding(Rounding::Zero)?.raw, one()?, width(sort)?)
                }
                Op::FloatToUbv => {
                    Z3_mk_fpa_to_ubv(c, self.rounding(Rounding::Zero)?.raw, one()?, width(sort)?)
                }
                Op::FloatFromBits => Z3_mk_fpa_to_fp_bv(c, one()?, target),
                Op::FloatAdd | Op::FloatSub | Op::FloatMul | Op::FloatDiv => {
                    let &[a, b] = args else {
                        return Err(NativeError(format!("{op:?} needs two arguments")));
                    };
                    let mode = self.rounding(Rounding::NearestEven)?;
                    match op {
                        Op::FloatAdd => Z3_mk_fpa_add(c, mode.raw, a, b),
                        Op::FloatSub => Z3_mk_fpa_sub(c, mode.raw, a, b),
                        Op::FloatMul => Z3_mk_fpa_mul(c, mode.raw, a, b),
                        _ => Z3_mk_fpa_div(c, mode.raw, a, b),
                    }
                }
                Op::ConstArray => {
                    let Sort::Array(array) = sort else {
                        return Err(NativeError("constant array without an array sort".into()));
                    };
                    let index = self.sort(terms, terms.array_sort(array).0)?;
                    Z3_mk_const_array(c, index, one()?)
                }
                Op::Apply(_) => return Err(NativeError("function without a declaration".into())),
                Op::Eq
                | Op::Div
                | Op::Mod
                | Op::Le
                | Op::Lt
                | Op::BvAdd
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
                | Op::BvAshr
                | Op::BvUlt
                | Op::BvUle
                | Op::BvSlt
                | Op::BvSle
                | Op::BvConcat
                | Op::FloatRem
                | Op::FloatEq
                | Op::FloatLt
                | Op::FloatLe
                | Op::Select => return self.fold(binary(op)?, args),
            }
        };
        Ok(made)
    }

    /// Binary functions of Z3 on two or more arguments, from the left.
    ///
    /// # Safety
    /// As for [`Context::raw_apply`].
    unsafe fn fold(self: &Rc<Self>, function: Binary, args: &[Z3_ast]) -> Result<Option<Z3_ast>> {
        let &[first, second, ref rest @ ..] = args else {
            return Err(NativeError("an operator needs two arguments".into()));
        };
        // SAFETY: by the contract of this function. Z3 keeps the last result alive until the next one is
        // made.
        let mut made = unsafe { function(self.raw, first, second) };
        for &next in rest {
            let left = self.own(made)?;
            // SAFETY: as above.
            made = unsafe { function(self.raw, left.raw, next) };
        }
        Ok(made)
    }

    /// By how many bits an extension to `sort` widens `argument`.
    ///
    /// # Safety
    /// `argument` is a living bit-vector of this context.
    unsafe fn growth(&self, argument: Z3_ast, sort: Sort) -> Result<u32> {
        // SAFETY: by the contract of this function.
        let from = unsafe {
            let sort = Z3_get_sort(self.raw, argument).ok_or_else(|| self.error())?;
            Z3_get_bv_sort_size(self.raw, sort)
        };
        width(sort)?.checked_sub(from).ok_or_else(|| NativeError("an extension that shrinks".into()))
    }

    fn rounding(self: &Rc<Self>, mode: Rounding) -> Result<Ast> {
        // SAFETY: no arguments but the context.
        self.own(unsafe {
            match mode {
                Rounding::NearestEven => Z3_mk_fpa_rne(self.raw),
                Rounding::NearestAway => Z3_mk_fpa_rna(self.raw),
                Rounding::Down => Z3_mk_fpa_rtn(self.raw),
                Rounding::Up => Z3_mk_fpa_rtp(self.raw),
                Rounding::Zero => Z3_mk_fpa_rtz(self.raw),
            }
        })
    }
}

fn binary(op: Op) -> Result<Binary> {
    Ok(match op {
        Op::Eq => Z3_mk_eq,
        Op::Div => Z3_mk_div,
        Op::Mod => Z3_mk_mod,
        Op::Le => Z3_mk_le,
        Op::Lt => Z3_mk_lt,
        Op::BvAdd => Z3_mk_bvadd,
        Op::BvSub => Z3_mk_bvsub,
        Op::BvMul => Z3_mk_bvmul,
        Op::BvUdiv => Z3_mk_bvudiv,
        Op::BvUrem => Z3_mk_bvurem,
        Op::BvSdiv => Z3_mk_bvsdiv,
        Op::BvSrem => Z3_mk_bvsrem,
        Op::BvAnd => Z3_mk_bvand,
        Op::BvOr => Z3_mk_bvor,
        Op::BvXor => Z3_mk_bvxor,
        Op::BvShl => Z3_mk_bvshl,
        Op::BvLshr => Z3_mk_bvlshr,
        Op::BvAshr => Z3_mk_bvashr,
        Op::BvUlt => Z3_mk_bvult,
        Op::BvUle => Z3_mk_bvule,
        Op::BvSlt => Z3_mk_bvslt,
        Op::BvSle => Z3_mk_bvsle,
        Op::BvConcat => Z3_mk_concat,
        Op::FloatRem => Z3_mk_fpa_rem,
        Op::FloatEq => Z3_mk_fpa_eq,
        Op::FloatLt => Z3_mk_fpa_lt,
        Op::FloatLe => Z3_mk_fpa_leq,
        Op::Select => Z3_mk_select,
        _ => return Err(NativeError(format!("{op:?} is not binary"))),
    })
}

fn width(sort: Sort) -> Result<u32> {
    match sort {
        Sort::Bv(width) => Ok(u32::from(width)),
        _ => Err(NativeError("not a bit-vector sort".into())),
    }
}

/// The x87 format without its explicit leading one: 79 bits, as SMT-LIB has it.
fn drop_leading_one(bits: u128) -> u128 {
    let fraction = bits & ((1 << 63) - 1);
    let sign_and_exponent = (bits >> 64) & 0xffff;
    (sign_and_exponent << 63) | fraction
}
