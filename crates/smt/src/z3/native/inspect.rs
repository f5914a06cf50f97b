//! Reading terms that Z3 made: values of models and results of elimination.

use super::{Ast, Context, Decl, Result, copy_text};
use std::rc::Rc;
use summa_term::{FloatSort, Sort, Terms};
use z3_sys::*;

/// The top of a term.
pub(crate) enum View {
    /// An integer, bit-vector or floating-point constant.
    Numeral,
    App(Decl, DeclKind, Vec<Ast>),
    /// A bound variable by its index, counted from the innermost.
    Bound(u32),
    /// Number of bound variables, body.
    Quantifier(u32, Ast),
    /// Lambdas, and what later versions may add.
    Other,
}

/// The kinds that the bindings know, as ranges of their numbers.
const KNOWN_KINDS: [(u32, u32); 13] = [
    (256, 267),
    (512, 533),
    (768, 779),
    (1024, 1085),
    (1280, 1323),
    (1536, 1604),
    (1792, 1793),
    (2048, 2052),
    (2304, 2308),
    (40960, 40965),
    (45056, 45099),
    (49152, 49167),
    (53248, 53252),
];

/// The kind of a function. The library also gives numbers for operators of its own that the bindings have no
/// name for; these must not become values of an enumeration that does not have them.
unsafe fn decl_kind(context: Z3_context, decl: Z3_func_decl) -> DeclKind {
    type Number = unsafe extern "C" fn(Z3_context, Z3_func_decl) -> u32;
    // SAFETY: `DeclKind` is a `u32` by representation, so the functions have the same calling convention.
    let number: Number = unsafe { std::mem::transmute(Z3_get_decl_kind as *const ()) };
    // SAFETY: the caller has a living declaration of its context.
    let number = unsafe { number(context, decl) };
    if KNOWN_KINDS.iter().any(|&(first, last)| (first..=last).contains(&number)) {
        // SAFETY: one of the numbers of the enumeration.
        unsafe { std::mem::transmute::<u32, DeclKind>(number) }
    } else {
        DeclKind::Internal
    }
}

impl Ast {
    pub(crate) fn simplify(&self) -> Result<Ast> {
        let context = &self.context;
        // SAFETY: a living term of its context, to which the parameters belong too.
        let simplify = |set| unsafe { Z3_simplify_ex(context.raw, self.raw, set) };
        context.own(context.with_parameters(|_| Ok(()), simplify)?)
    }

    pub(crate) fn view(&self) -> Result<View> {
        let (context, c) = (&self.context, self.context.raw);
        // SAFETY: each accessor is called for the kind of term it is meant for; results are owned.
        unsafe {
            Ok(match Z3_get_ast_kind(c, self.raw) {
                AstKind::Numeral => View::Numeral,
                AstKind::App => {
                    let app = Z3_to_app(c, self.raw).ok_or_else(|| context.error())?;
                    let decl = context.own_decl(Z3_get_app_decl(c, app))?;
                    let kind = decl_kind(c, decl.raw);
                    if kind == DeclKind::FpaNum {
                        return Ok(View::Numeral);
                    }
                    let args =
                        (0..Z3_get_app_num_args(c, app)).map(|i| context.own(Z3_get_app_arg(c, app, i)));
                    View::App(decl.clone(), kind, args.collect::<Result<_>>()?)
                }
                AstKind::Var => View::Bound(Z3_get_index_value(c, self.raw)),
                AstKind::Quantifier if !Z3_is_lambda(c, self.raw) => View::Quantifier(
                    Z3_get_quantifier_num_bound(c, self.raw),
                    context.own(Z3_get_quantifier_body(c, self.raw))?,
                ),
                _ => View::Other,
            })
        }
    }

    /// Decimal digits of an integer or bit-vector constant.
    pub(crate) fn digits(&self) -> String {
        // SAFETY: for other terms Z3 reports an error and an empty text; copied at once.
        unsafe { copy_text(Z3_get_numeral_string(self.context.raw, self.raw)) }
    }

    /// The value of a boolean constant.
    pub(crate) fn truth(&self) -> Option<bool> {
        // SAFETY: a living term of its context.
        match unsafe { Z3_get_bool_value(self.context.raw, self.raw) } {
            Z3_L_TRUE => Some(true),
            Z3_L_FALSE => Some(false),
            _ => None,
        }
    }

    pub(crate) fn is_nan(&self) -> bool {
        // SAFETY: false for what is not a floating-point constant.
        unsafe { Z3_fpa_is_numeral_nan(self.context.raw, self.raw) }
    }

    /// The bits of a float, as a term.
    pub(crate) fn ieee_bits(&self) -> Result<Ast> {
        // SAFETY: Z3 checks the sort.
        self.context.own(unsafe { Z3_mk_fpa_to_ieee_bv(self.context.raw, self.raw) })?.simplify()
    }

    /// The function behind an `as-array` term.
    pub(crate) fn array_function(&self) -> Result<Decl> {
        // SAFETY: Z3 checks the kind of the term.
        self.context.own_decl(unsafe { Z3_get_as_array_func_decl(self.context.raw, self.raw) })
    }

    /// Our sort of this term; `None` for sorts we do not have.
    pub(crate) fn sort(&self, terms: &mut Terms) -> Option<Sort> {
        // SAFETY: the sort lives as long as its term.
        let sort = unsafe { Z3_get_sort(self.context.raw, self.raw) }?;
        self.context.our_sort(terms, sort)
    }
}

impl Decl {
    /// A number in the declaration, such as the bounds of `extract`.
    pub(crate) fn parameter(&self, index: u32) -> u32 {
        // SAFETY: Z3 checks that the parameter exists and is a number.
        let value = unsafe { Z3_get_decl_int_parameter(self.ast.context.raw, self.raw, index) };
        u32::try_from(value).unwrap_or(0)
    }
}

impl Context {
    fn our_sort(self: &Rc<Self>, terms: &mut Terms, sort: Z3_sort) -> Option<Sort> {
        let c = self.raw;
        // SAFETY: each accessor is called for the kind of sort it is meant for.
        unsafe {
            Some(match Z3_get_sort_kind(c, sort) {
                SortKind::Bool => Sort::Bool,
                SortKind::Int => Sort::Int,
                SortKind::Bv => {
                    Sort::Bv(u8::try_from(Z3_get_bv_sort_size(c, sort)).ok().filter(|&w| w <= 128)?)
                }
                SortKind::FloatingPoint => {
                    let shape = (Z3_fpa_get_ebits(c, sort), Z3_fpa_get_sbits(c, sort));
                    let all = [FloatSort::F32, FloatSort::F64, FloatSort::F80, FloatSort::F128];
                    Sort::Float(all.into_iter().find(|float| float.shape() == shape)?)
                }
                SortKind::Array => {
                    let index = self.our_sort(terms, Z3_get_array_sort_domain(c, sort)?)?;
                    let element = self.our_sort(terms, Z3_get_array_sort_range(c, sort)?)?;
                    terms.array_of(index, element)
                }
                _ => return None,
            })
        }
    }
}
