//! Solvers, models, tactics and projection.

use super::{Ast, Context, Decl, NativeError, Result, Stopped, copy_text, length};
use crate::solver::Limits;
use std::ffi::CString;
use std::rc::Rc;
use z3_sys::*;

pub(crate) enum CheckResult {
    Sat,
    Unsat,
    /// Ended from outside, or Z3's own reason.
    Unknown(Option<Stopped>, String),
}

/// A stack of assertions.
pub(crate) struct NativeSolver {
    context: Rc<Context>,
    raw: Z3_solver,
}

impl NativeSolver {
    /// The incremental solver for all theories. (Those that Z3 has for one logic take other formulas too, and
    /// answer wrongly.)
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self> {
        // SAFETY: only the context is needed.
        Self::own(context, unsafe { Z3_mk_simple_solver(context.raw) })
    }

    /// The solver that picks a strategy for each question as a whole: slower to start, and much better at
    /// hard questions.
    pub(crate) fn strategic(context: &Rc<Context>) -> Result<Self> {
        // SAFETY: only the context is needed.
        Self::own(context, unsafe { Z3_mk_solver(context.raw) })
    }

    fn configure(&self) -> Result<()> {
        // SAFETY: solver and parameters live in one context.
        let give = |set| unsafe { Z3_solver_set_params(self.context.raw, self.raw, set) };
        self.context.with_parameters(|_| Ok(()), give)?;
        self.context.checked()
    }

    fn own(context: &Rc<Context>, raw: Option<Z3_solver>) -> Result<Self> {
        let raw = raw.ok_or_else(|| context.error())?;
        // SAFETY: the new solver is counted at once; `Drop` gives it back.
        unsafe { Z3_solver_inc_ref(context.raw, raw) };
        let solver = Self { context: Rc::clone(context), raw };
        solver.configure()?;
        Ok(solver)
    }

    pub(crate) fn push(&self) {
        // SAFETY: the solver lives in its context.
        unsafe { Z3_solver_push(self.context.raw, self.raw) };
    }

    /// The caller keeps count: there is a scope to pop.
    pub(crate) fn pop(&self) {
        // SAFETY: as above; without a scope Z3 only reports an error.
        unsafe { Z3_solver_pop(self.context.raw, self.raw, 1) };
    }

    pub(crate) fn assert(&self, formula: &Ast) -> Result<()> {
        // SAFETY: solver and formula live in one context.
        unsafe { Z3_solver_assert(self.context.raw, self.raw, formula.raw) };
        self.context.checked()
    }

    /// Checks within the limits, and within this much work in Z3's own unit if given. If that work runs out,
    /// the answer is an Unknown that names no limit.
    pub(crate) fn check(&self, assumptions: &[Ast], limits: &Limits, most: Option<u32>) -> CheckResult {
        let raw: Vec<Z3_ast> = assumptions.iter().map(|ast| ast.raw).collect();
        let (answer, stopped) = self.context.run(limits, most, || {
            // SAFETY: solver and assumptions live in one context.
            unsafe {
                match raw.is_empty() {
                    true => Z3_solver_check(self.context.raw, self.raw),
                    false => Z3_solver_check_assumptions(
                        self.context.raw,
                        self.raw,
                        length(raw.len()),
                        raw.as_ptr(),
                    ),
                }
            }
        });
        match answer {
            Z3_L_TRUE => CheckResult::Sat,
            Z3_L_FALSE => CheckResult::Unsat,
            _ => {
                // SAFETY: the text belongs to the solver and is copied at once.
                let reason = unsafe { copy_text(Z3_solver_get_reason_unknown(self.context.raw, self.raw)) };
                CheckResult::Unknown(stopped, reason)
            }
        }
    }

    /// The model of the last check, which answered Sat.
    pub(crate) fn model(&self) -> Result<NativeModel> {
        // SAFETY: null when there is no model; counted at once otherwise.
        let raw = unsafe { Z3_solver_get_model(self.context.raw, self.raw) };
        NativeModel::own(&self.context, raw)
    }

    /// Those assumptions of the last check that it needed to answer Unsat.
    pub(crate) fn core(&self) -> Result<Vec<Ast>> {
        // SAFETY: null when there is no core; counted while it is read.
        unsafe {
            let vector =
                Z3_solver_get_unsat_core(self.context.raw, self.raw).ok_or_else(|| self.context.error())?;
            Z3_ast_vector_inc_ref(self.context.raw, vector);
            let count = Z3_ast_vector_size(self.context.raw, vector);
            let core = (0..count)
                .map(|i| self.context.own(Z3_ast_vector_get(self.context.raw, vector, i)))
                .collect();
            Z3_ast_vector_dec_ref(self.context.raw, vector);
            core
        }
    }
}

impl Drop for NativeSolver {
    fn drop(&mut self) {
        // SAFETY: gives back the reference taken in `new`.
        unsafe { Z3_solver_dec_ref(self.context.raw, self.raw) };
    }
}

/// An interpretation of constants and functions.
pub(crate) struct NativeModel {
    context: Rc<Context>,
    raw: Z3_model,
}

impl NativeModel {
    fn own(context: &Rc<Context>, raw: Option<Z3_model>) -> Result<Self> {
        let raw = raw.ok_or_else(|| context.error())?;
        // SAFETY: counted here, given back in `Drop`.
        unsafe { Z3_model_inc_ref(context.raw, raw) };
        Ok(Self { context: Rc::clone(context), raw })
    }

    /// The value of `term`; with `complete` also where the model leaves it open.
    pub(crate) fn eval(&self, term: &Ast, complete: bool) -> Result<Ast> {
        let mut value = term.raw;
        // SAFETY: model and term live in one context; `value` is written only if the call succeeds.
        let done = unsafe { Z3_model_eval(self.context.raw, self.raw, term.raw, complete, &mut value) };
        if done { self.context.own(Some(value)) } else { Err(self.context.error()) }
    }

    /// Table of a function: entries (arguments, value) and the value elsewhere. `None` where the model leaves
    /// it open.
    #[expect(clippy::type_complexity, reason = "a table and its default are what a function is")]
    pub(crate) fn function(&self, function: &Decl) -> Result<Option<(Vec<(Vec<Ast>, Ast)>, Ast)>> {
        let c = self.context.raw;
        // SAFETY: interpretation and entries are counted while they are read; all results are owned.
        unsafe {
            let Some(table) = Z3_model_get_func_interp(c, self.raw, function.raw) else { return Ok(None) };
            Z3_func_interp_inc_ref(c, table);
            let read = (|| {
                let otherwise = self.context.own(Z3_func_interp_get_else(c, table))?;
                let mut entries = Vec::new();
                for i in 0..Z3_func_interp_get_num_entries(c, table) {
                    let entry = Z3_func_interp_get_entry(c, table, i).ok_or_else(|| self.context.error())?;
                    Z3_func_entry_inc_ref(c, entry);
                    let args = (0..Z3_func_entry_get_num_args(c, entry))
                        .map(|i| self.context.own(Z3_func_entry_get_arg(c, entry, i)))
                        .collect::<Result<Vec<_>>>();
                    let value = self.context.own(Z3_func_entry_get_value(c, entry));
                    Z3_func_entry_dec_ref(c, entry);
                    entries.push((args?, value?));
                }
                Ok(Some((entries, otherwise)))
            })();
            Z3_func_interp_dec_ref(c, table);
            read
        }
    }

    /// Model-based projection: a formula without `variables` that implies `∃ variables. body` and holds in
    /// this model.
    pub(crate) fn project(&self, variables: &[Ast], body: &Ast, limits: &Limits) -> Result<Ast> {
        let variables = self.context.as_apps(variables)?;
        let (projected, stopped) = self.context.run_by_time(limits, || {
            // SAFETY: all live in one context, and `variables` are constants.
            unsafe {
                let count = length(variables.len());
                Z3_qe_model_project(self.context.raw, self.raw, count, variables.as_ptr(), body.raw)
            }
        });
        match stopped {
            Some(stopped) => Err(NativeError(format!("projection ended: {stopped:?}"))),
            None => self.context.own(projected),
        }
    }
}

impl Drop for NativeModel {
    fn drop(&mut self) {
        // SAFETY: gives back the reference taken in `own`.
        unsafe { Z3_model_dec_ref(self.context.raw, self.raw) };
    }
}

impl Context {
    /// The formulas that remain of `formula` after the tactic `name`; their disjunction over subgoals of
    /// conjunctions.
    pub(crate) fn run_tactic(
        self: &Rc<Self>,
        name: &str,
        formula: &Ast,
        limits: &Limits,
    ) -> Result<Vec<Vec<Ast>>> {
        let c = self.raw;
        let name = CString::new(name).map_err(|_| NativeError("zero byte in a name".into()))?;
        // SAFETY: tactic, goal and result are counted while in use and given back on every path.
        unsafe {
            let tactic = Z3_mk_tactic(c, name.as_ptr()).ok_or_else(|| self.error())?;
            Z3_tactic_inc_ref(c, tactic);
            let Some(goal) = Z3_mk_goal(c, false, false, false) else {
                Z3_tactic_dec_ref(c, tactic);
                return Err(self.error());
            };
            Z3_goal_inc_ref(c, goal);
            Z3_goal_assert(c, goal, formula.raw);
            let (result, stopped) = self.run_by_time(limits, || {
                self.with_parameters(|_| Ok(()), |set| Z3_tactic_apply_ex(c, tactic, goal, set))
                    .ok()
                    .flatten()
            });
            let outcome = match (result, stopped) {
                (Some(result), None) => {
                    Z3_apply_result_inc_ref(c, result);
                    let subgoals = self.subgoals(result);
                    Z3_apply_result_dec_ref(c, result);
                    subgoals
                }
                (_, Some(stopped)) => Err(NativeError(format!("tactic ended: {stopped:?}"))),
                (None, None) => Err(self.error()),
            };
            Z3_goal_dec_ref(c, goal);
            Z3_tactic_dec_ref(c, tactic);
            outcome
        }
    }

    /// # Safety
    /// `result` is counted by the caller.
    unsafe fn subgoals(self: &Rc<Self>, result: Z3_apply_result) -> Result<Vec<Vec<Ast>>> {
        let c = self.raw;
        let mut all = Vec::new();
        // SAFETY: by the contract; subgoals are counted while they are read.
        unsafe {
            for i in 0..Z3_apply_result_get_num_subgoals(c, result) {
                let goal = Z3_apply_result_get_subgoal(c, result, i).ok_or_else(|| self.error())?;
                Z3_goal_inc_ref(c, goal);
                let formulas = (0..Z3_goal_size(c, goal))
                    .map(|i| self.own(Z3_goal_formula(c, goal, i)))
                    .collect::<Result<_>>();
                Z3_goal_dec_ref(c, goal);
                all.push(formulas?);
            }
        }
        Ok(all)
    }
}
