//! Safe handles over Z3's C interface: the only code of the workspace that calls it.
//!
//! A [`Context`] owns everything; an [`Ast`] holds one reference, so no handle outlives what it names.
//! Contexts are not shared between threads (`Rc`), except for interrupting, which Z3 allows from any thread;
//! see [`Watched`]. Z3 reports errors by null pointers and a code; both become [`NativeError`] here.
//!
//! Limits: handles of one context must not be used with another. Only this crate can see them, and each
//! [`crate::z3::Family`] has exactly one context.
#![allow(
    unsafe_code,
    reason = "the C interface of Z3; the SAFETY comments say which of its rules each call keeps"
)]

mod apply;
mod horn;
mod inspect;
mod search;
mod watch;

pub(crate) use horn::{Clause, HornAnswer, HornParameters};
pub(crate) use inspect::View;
pub(crate) use search::{CheckResult, NativeModel, NativeSolver};
pub(crate) use watch::Stopped;

use crate::solver::Limits;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
use summa_base::clock::{self, PATIENCE, Unit};
use summa_term::{Sort, Terms};
use watch::Watched;
use z3_sys::*;

/// Why Z3 refused something: its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeError(pub String);

pub(crate) type Result<T> = std::result::Result<T, NativeError>;

/// A logical context of Z3 with the sorts made in it.
pub(crate) struct Context {
    raw: Z3_context,
    watched: Arc<Watched>,
    /// A solver without formulas. Its statistics give the count of the context.
    counter: Z3_solver,
    /// What a question may count now; 0 is without limit.
    allowed: Cell<u32>,
    /// Array sorts are numbers of one [`Terms`] store: a context serves one store.
    sorts: RefCell<FxHashMap<Sort, Z3_sort>>,
}

/// Where the system limits the addresses of this process, Z3 must stop before it does: it does not survive a
/// request for memory that is refused. Stacks and everything else need the rest.
fn bound_memory() {
    const SHARE: u64 = 5;
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    let Some(megabytes) = limit.map(|bytes| (bytes / SHARE * 3) >> 20) else { return };
    if let Ok(value) = CString::new(megabytes.max(1).to_string()) {
        // SAFETY: name and value are texts that outlive the call, which copies them. No context exists yet.
        unsafe { Z3_global_param_set(c"memory_max_size".as_ptr(), value.as_ptr()) };
    }
}

impl Context {
    pub(crate) fn new() -> Result<Rc<Self>> {
        static BOUND: std::sync::Once = std::sync::Once::new();
        BOUND.call_once(bound_memory);
        // SAFETY: a configuration is made, used for one context, and freed; the context counts references by
        // hand (`_rc`).
        let raw = unsafe {
            let config = Z3_mk_config().ok_or_else(|| NativeError("no configuration".into()))?;
            let raw = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let raw = raw.ok_or_else(|| NativeError("no context".into()))?;
            // No handler: errors are asked for after each call instead of aborting the process.
            Z3_set_error_handler(raw, None);
            raw
        };
        // SAFETY: only the context is needed; the solver is counted at once, and goes with its context.
        let counter = unsafe {
            let counter = Z3_mk_simple_solver(raw).ok_or_else(|| NativeError("no solver".into()))?;
            Z3_solver_inc_ref(raw, counter);
            counter
        };
        let (watched, allowed, sorts) = (Watched::new(raw), Cell::new(0), RefCell::default());
        Ok(Rc::new(Self { raw, watched, counter, allowed, sorts }))
    }

    /// Runs `call` within limits, and counts its work. It may do no more than `most` in Z3's unit either; to
    /// reach that is no time-out.
    fn run<T>(&self, limits: &Limits, most: Option<u32>, call: impl FnOnce() -> T) -> (T, Option<Stopped>) {
        let own = limits.timeout.map(clock::solver_units);
        self.allow([own, most].into_iter().flatten().min());
        self.counted(limits, PATIENCE, call)
    }

    /// The same for calls in which Z3 does not look at its count (tactics, projection). They end after twice
    /// the limit in processor time, and the work that was allowed counts as done. If such a call needs about
    /// that long, the run may not repeat; this is the only such place.
    fn run_by_time<T>(&self, limits: &Limits, call: impl FnOnce() -> T) -> (T, Option<Stopped>) {
        self.counted(limits, 2, call)
    }

    fn counted<T>(&self, limits: &Limits, patience: u32, call: impl FnOnce() -> T) -> (T, Option<Stopped>) {
        let own = limits.timeout.map(clock::solver_units);
        let before = self.units();
        let (result, stopped) = self.watched.run(limits, patience, call);
        let used = self.units().wrapping_sub(before);
        let is_over = own.is_some_and(|own| used >= own);
        let counts = if stopped == Some(Stopped::TimeOut) { own.unwrap_or(used).max(used) } else { used };
        clock::count(Unit::Solver, counts.into());
        clock::count(Unit::Question, 1);
        (result, stopped.or(is_over.then_some(Stopped::TimeOut)))
    }

    fn allow(&self, units: Option<u32>) {
        let units = units.unwrap_or(0);
        if self.allowed.replace(units) != units
            && let Ok(value) = CString::new(units.to_string())
        {
            // SAFETY: name and value are texts that outlive the call, which copies them.
            unsafe { Z3_update_param_value(self.raw, c"rlimit".as_ptr(), value.as_ptr()) };
        }
    }

    /// What Z3 has counted in this context; it begins again at zero after 2³² units.
    fn units(&self) -> u32 {
        // SAFETY: the statistics are counted while they are read, and each name is copied at once.
        unsafe {
            let Some(statistics) = Z3_solver_get_statistics(self.raw, self.counter) else { return 0 };
            Z3_stats_inc_ref(self.raw, statistics);
            let is_it = |&i: &u32| {
                let key = Z3_stats_get_key(self.raw, statistics, i);
                !key.is_null() && CStr::from_ptr(key) == c"rlimit count"
            };
            let found = (0..Z3_stats_size(self.raw, statistics)).find(is_it);
            let units = found.map_or(0, |i| Z3_stats_get_uint_value(self.raw, statistics, i));
            Z3_stats_dec_ref(self.raw, statistics);
            units
        }
    }

    /// Owns a result, or says why there is none.
    fn own(self: &Rc<Self>, raw: Option<Z3_ast>) -> Result<Ast> {
        let Some(raw) = raw else { return Err(self.error()) };
        // SAFETY: `raw` is a fresh result of this context; counting it keeps it alive until the handle is
        // dropped.
        unsafe { Z3_inc_ref(self.raw, raw) };
        Ok(Ast { context: Rc::clone(self), raw })
    }

    fn error(&self) -> NativeError {
        // SAFETY: the message belongs to the context and is copied at once.
        unsafe {
            let code = Z3_get_error_code(self.raw);
            NativeError(copy_text(Z3_get_error_msg(self.raw, code)))
        }
    }

    /// Errors of calls that return nothing.
    fn checked(&self) -> Result<()> {
        // SAFETY: reads a field of the context.
        let code = unsafe { Z3_get_error_code(self.raw) };
        if code == ErrorCode::Ok { Ok(()) } else { Err(self.error()) }
    }

    fn symbol(&self, name: &str) -> Result<Z3_symbol> {
        // A name with a zero byte cannot be passed to C; no name of a program has one.
        let name = CString::new(name).map_err(|_| NativeError("zero byte in a name".into()))?;
        // SAFETY: the text outlives the call, which copies it.
        unsafe { Z3_mk_string_symbol(self.raw, name.as_ptr()) }.ok_or_else(|| self.error())
    }

    /// Parameters for a call, in each case with Z3's own handler of Ctrl-C switched off: it would replace
    /// that of the process while Z3 is at work, and end the question instead of the run.
    fn with_parameters<T>(
        &self,
        fill: impl FnOnce(Z3_params) -> Result<()>,
        call: impl FnOnce(Z3_params) -> T,
    ) -> Result<T> {
        let key = self.symbol("ctrl_c")?;
        // SAFETY: the set of parameters is counted while it is filled and used, and given back on every path.
        unsafe {
            let set = Z3_mk_params(self.raw).ok_or_else(|| self.error())?;
            Z3_params_inc_ref(self.raw, set);
            Z3_params_set_bool(self.raw, set, key, false);
            let filled = fill(set);
            let result = filled.map(|()| call(set));
            Z3_params_dec_ref(self.raw, set);
            result
        }
    }

    fn sort(&self, terms: &Terms, sort: Sort) -> Result<Z3_sort> {
        if let Some(&known) = self.sorts.borrow().get(&sort) {
            return Ok(known);
        }
        // SAFETY: sorts are made from sorts of this context, which `sorts` keeps alive as long as the
        // context.
        let made = unsafe {
            match sort {
                Sort::Bool => Z3_mk_bool_sort(self.raw),
                Sort::Int => Z3_mk_int_sort(self.raw),
                Sort::Bv(width) => Z3_mk_bv_sort(self.raw, u32::from(width)),
                Sort::Float(float) => {
                    let (exponent, significand) = float.shape();
                    Z3_mk_fpa_sort(self.raw, exponent, significand)
                }
                // The depth of array sorts is the depth of a type in the program, which its parser limits.
                Sort::Array(array) => {
                    let (index, element) = terms.array_sort(array);
                    let (index, element) = (self.sort(terms, index)?, self.sort(terms, element)?);
                    Z3_mk_array_sort(self.raw, index, element)
                }
            }
        };
        let Some(made) = made else { return Err(self.error()) };
        // SAFETY: as above; a sort is an AST.
        unsafe {
            let ast = Z3_sort_to_ast(self.raw, made).ok_or_else(|| self.error())?;
            Z3_inc_ref(self.raw, ast);
        }
        self.sorts.borrow_mut().insert(sort, made);
        Ok(made)
    }

    /// The constant (in the sense of logic) with this name.
    pub(crate) fn constant(self: &Rc<Self>, terms: &Terms, name: &str, sort: Sort) -> Result<Ast> {
        let (symbol, sort) = (self.symbol(name)?, self.sort(terms, sort)?);
        // SAFETY: symbol and sort belong to this context.
        self.own(unsafe { Z3_mk_const(self.raw, symbol, sort) })
    }

    pub(crate) fn function(
        self: &Rc<Self>,
        terms: &Terms,
        name: &str,
        args: &[Sort],
        result: Sort,
    ) -> Result<Decl> {
        let symbol = self.symbol(name)?;
        let args = args.iter().map(|&sort| self.sort(terms, sort)).collect::<Result<Vec<_>>>()?;
        let result = self.sort(terms, result)?;
        // SAFETY: all belong to this context; the length is that of the slice.
        let raw = unsafe { Z3_mk_func_decl(self.raw, symbol, length(args.len()), args.as_ptr(), result) };
        self.own_decl(raw)
    }

    fn own_decl(self: &Rc<Self>, raw: Option<Z3_func_decl>) -> Result<Decl> {
        let Some(raw) = raw else { return Err(self.error()) };
        // SAFETY: a declaration is an AST; counted like one.
        let ast = unsafe { Z3_func_decl_to_ast(self.raw, raw) };
        Ok(Decl { ast: self.own(ast)?, raw })
    }

    /// What Z3 uses in this process, in bytes.
    pub(crate) fn allocated() -> u64 {
        // SAFETY: reads a counter.
        unsafe { Z3_get_estimated_alloc_size() }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.watched.forget();
        // SAFETY: handles hold an `Rc` of the context, so none is left; `forget` has ended interruptions from
        // outside.
        unsafe {
            Z3_solver_dec_ref(self.raw, self.counter);
            Z3_del_context(self.raw);
        }
    }
}

/// A term of Z3.
pub(crate) struct Ast {
    context: Rc<Context>,
    raw: Z3_ast,
}

impl Ast {
    /// A number that no other living term of the context has.
    pub(crate) fn id(&self) -> u32 {
        // SAFETY: the handle keeps the term alive.
        unsafe { Z3_get_ast_id(self.context.raw, self.raw) }
    }
}

impl Clone for Ast {
    fn clone(&self) -> Self {
        // SAFETY: alive, and counted once more for the new handle.
        unsafe { Z3_inc_ref(self.context.raw, self.raw) };
        Self { context: Rc::clone(&self.context), raw: self.raw }
    }
}

impl Drop for Ast {
    fn drop(&mut self) {
        // SAFETY: gives back the reference this handle holds; the context still lives.
        unsafe { Z3_dec_ref(self.context.raw, self.raw) };
    }
}

/// Z3 shares equal terms, so identity is equality.
impl PartialEq for Ast {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Ast {}

impl Hash for Ast {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl std::fmt::Display for Ast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: the text belongs to the context and is copied at once.
        f.write_str(&unsafe { copy_text(Z3_ast_to_string(self.context.raw, self.raw)) })
    }
}

impl std::fmt::Debug for Ast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// A function or predicate of Z3.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Decl {
    ast: Ast,
    raw: Z3_func_decl,
}

impl Decl {
    pub(crate) fn id(&self) -> u32 {
        self.ast.id()
    }

    pub(crate) fn apply(&self, args: &[Ast]) -> Result<Ast> {
        let context = &self.ast.context;
        let raw: Vec<Z3_ast> = args.iter().map(|arg| arg.raw).collect();
        // SAFETY: declaration and arguments belong to one context; Z3 checks number and sorts.
        context.own(unsafe { Z3_mk_app(context.raw, self.raw, length(raw.len()), raw.as_ptr()) })
    }
}

/// # Safety
/// `text` is null or a C string that stays valid during the call.
unsafe fn copy_text(text: Z3_string) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of this function.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// C's lengths; a slice of more than 2³² handles does not fit into memory.
fn length(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
