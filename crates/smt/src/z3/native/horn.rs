//! Z3's Horn engine (Spacer) on recursion-free clauses.

use super::{Ast, Context, Decl, Result, Stopped, length};
use crate::solver::Limits;
use std::rc::Rc;
use summa_term::{Quantifier, Terms};
use z3_sys::*;

/// `∀ bound. premises → conclusion`.
pub(crate) struct Clause {
    pub(crate) bound: Vec<Ast>,
    pub(crate) premises: Vec<Ast>,
    /// An application of a predicate.
    pub(crate) conclusion: Ast,
}

/// The settings that decide about quality and speed.
pub(crate) struct HornParameters {
    /// Start at this depth: with the depth of the clauses known there is no use in trying smaller ones.
    pub(crate) min_level: u32,
}

pub(crate) enum HornAnswer {
    /// The query cannot be derived; the definitions of the predicates, as one formula.
    Underivable(Ast),
    Derivable,
    Unknown(Option<Stopped>),
}

impl Context {
    /// Can `query` (a predicate without arguments) be derived?
    pub(crate) fn solve_horn(
        self: &Rc<Self>,
        terms: &Terms,
        predicates: &[Decl],
        clauses: &[Clause],
        query: &Decl,
        parameters: &HornParameters,
        limits: &Limits,
    ) -> Result<HornAnswer> {
        let engine = Engine::new(self)?;
        engine.configure(parameters)?;
        let c = self.raw;
        for predicate in predicates.iter().chain([query]) {
            // SAFETY: engine and predicate live in one context.
            unsafe { Z3_fixedpoint_register_relation(c, engine.raw, predicate.raw) };
            self.checked()?;
        }
        for clause in clauses {
            let rule = self.rule(terms, clause)?;
            // SAFETY: as above; a rule without a name.
            unsafe { Z3_fixedpoint_add_rule(c, engine.raw, rule.raw, None) };
            self.checked()?;
        }
        // As a formula: for a question about relations Z3 does not look at the limit of its work.
        let query = query.apply(&[])?;
        let (answer, stopped) = self.run(limits, None, || {
            // SAFETY: engine and query live in one context.
            unsafe { Z3_fixedpoint_query(c, engine.raw, query.raw) }
        });
        match answer {
            // SAFETY: after an answer the definitions can be asked for; owned at once.
            Z3_L_FALSE => {
                Ok(HornAnswer::Underivable(self.own(unsafe { Z3_fixedpoint_get_answer(c, engine.raw) })?))
            }
            Z3_L_TRUE => Ok(HornAnswer::Derivable),
            _ => Ok(HornAnswer::Unknown(stopped)),
        }
    }

    fn rule(self: &Rc<Self>, terms: &Terms, clause: &Clause) -> Result<Ast> {
        use summa_term::{Op, Sort};
        let premise = match clause.premises.as_slice() {
            [] => self.boolean(true)?,
            [only] => only.clone(),
            several => self.apply(terms, Op::And, several, Sort::Bool, None)?,
        };
        // SAFETY: both live in this context.
        let body = self.own(unsafe { Z3_mk_implies(self.raw, premise.raw, clause.conclusion.raw) })?;
        if clause.bound.is_empty() {
            Ok(body)
        } else {
            self.quantify(Quantifier::Forall, &clause.bound, &body)
        }
    }

    /// `term` with the bound variable of index `i` replaced by the `i`-th of `values`.
    pub(crate) fn instantiate(self: &Rc<Self>, term: &Ast, values: &[Ast]) -> Result<Ast> {
        let values: Vec<Z3_ast> = values.iter().map(|value| value.raw).collect();
        // SAFETY: all live in this context; the length is that of the slice.
        self.own(unsafe { Z3_substitute_vars(self.raw, term.raw, length(values.len()), values.as_ptr()) })
    }
}

struct Engine {
    context: Rc<Context>,
    raw: Z3_fixedpoint,
}

impl Engine {
    fn new(context: &Rc<Context>) -> Result<Self> {
        // SAFETY: counted here, given back in `Drop`.
        unsafe {
            let raw = Z3_mk_fixedpoint(context.raw).ok_or_else(|| context.error())?;
            Z3_fixedpoint_inc_ref(context.raw, raw);
            Ok(Self { context: Rc::clone(context), raw })
        }
    }

    fn configure(&self, parameters: &HornParameters) -> Result<()> {
        let context = &self.context;
        let c = context.raw;
        // SAFETY: parameters, names and engine belong to one context.
        unsafe {
            let fill = |set| {
                Z3_params_set_symbol(c, set, context.symbol("engine")?, context.symbol("spacer")?);
                // Inlining and slicing would leave one big clause, whose solution is the strongest
                // postcondition.
                for off in ["xform.inline_eager", "xform.inline_linear", "xform.slice"] {
                    Z3_params_set_bool(c, set, context.symbol(off)?, false);
                }
                Z3_params_set_bool(c, set, context.symbol("spacer.propagate")?, true);
                Z3_params_set_uint(c, set, context.symbol("spacer.min_level")?, parameters.min_level);
                Ok(())
            };
            context.with_parameters(fill, |set| Z3_fixedpoint_set_params(c, self.raw, set))?;
            context.checked()
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: gives back the reference taken in `new`.
        unsafe { Z3_fixedpoint_dec_ref(self.context.raw, self.raw) };
    }
}
