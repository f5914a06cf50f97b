//! From the typed program to control-flow automata.
//!
//! Which functions a call through a pointer may reach is found in the resulting automata, by an analysis that
//! this crate does not know. So building goes in rounds. [`build_with`] gets the calls that are
//! [`Discovered`] and returns what it [`Met`]; `summa_transform::build` repeats this until nothing is new.
//!
//! One round has these steps:
//! 1. [`references`] finds which functions can run and what they refer to. This decides the candidates of
//!    calls through pointers, and which static objects are initialised.
//! 2. Each body becomes a draft graph ([`function`], [`scopes`], [`calls`], [`pointer_calls`]). Choices of
//!    the environment ([`crate::environment`]) become edges: allocations that fail ([`allocation`]), reads of
//!    volatile objects ([`volatile`]).
//! 3. A draft gets the checks of arithmetic that were asked for ([`checks`], [`ranges`]).
//! 4. It loses unreachable and superfluous nodes ([`draft`]), and is appended to the frozen automata here.
//! 5. The synthetic function that runs first comes last ([`start`], [`arguments`]).

mod allocation;
mod arguments;
mod calls;
mod checks;
mod discovered;
pub mod draft;
mod function;
mod hidden;
mod kept_address;
mod pointer_calls;
pub mod ranges;
mod references;
mod rounding;
mod scopes;
mod start;
#[cfg(test)]
mod tests;
mod values;
mod volatile;

pub use checks::{LEAVES_MEMBER, UNDEFINED_SHIFT};
pub use discovered::{Discovered, Met, Site};

use crate::cfa::{Cfa, Checks};
use crate::environment::Environment;
use crate::verify::{Violation, verify};
use draft::Frozen;
use hidden::Hidden;
use references::References;
use summa_base::{FxHashMap, FxHashSet, IdSet};
use summa_c::Span;
use summa_c::tree::{About, Assumption, ExprKind, FuncId, Function, Program, VarId};
use summa_c::types::TypeId;

#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The function that the run starts with.
    pub entry: String,
    /// A call of one of these is the error.
    pub error_functions: Vec<String>,
    /// Objects that are allocated at most once become variables, after building: `summa_transform::promote`
    /// has the limits.
    pub promote: bool,
    /// Operations that go wrong are errors.
    pub checks: Checks,
    /// See [`Cfa::members_apart`].
    pub members_apart: bool,
    /// Parts of the text, from a witness, in which every evaluation must be defined. Otherwise the first
    /// error function counts as called. Such automata have no other checks.
    pub must_be_defined: Vec<Span>,
    pub environment: Environment,
}

impl Default for BuildOptions {
    fn default() -> Self {
        let error_functions = ["reach_error", "__VERIFIER_error"].map(str::to_string).to_vec();
        Self {
            entry: "main".to_string(),
            error_functions,
            promote: false,
            checks: Checks::NONE,
            members_apart: false,
            must_be_defined: Vec::new(),
            environment: Environment::default(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// The program has no function of this name, or no body for it. `similar` are defined functions with a
    /// name that may have been meant.
    NoEntry { name: String, declared: bool, similar: Vec<String> },
    /// The automata break an invariant: an error of Summa, never of the user.
    Broken(Vec<Violation>),
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoEntry { name, declared, similar } => {
                let what = if *declared { "is declared but has no body" } else { "is not in the program" };
                write!(f, "the entry function `{name}` {what}")?;
                if !similar.is_empty() {
                    write!(f, "; did you mean `{}`?", similar.join("`, `"))?;
                }
                Ok(())
            }
            Self::Broken(violations) => {
                write!(f, "internal error: the automata break {} invariants", violations.len())?;
                violations.iter().take(5).try_for_each(|violation| write!(f, "\n  {violation}"))
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// The automata of one round of building, verified and frozen, with what was found on the way.
#[derive(Debug)]
pub struct Built {
    pub cfa: Cfa,
    pub met: Met,
}

/// Does the program take the address of a function? Otherwise no call can be discovered, and the first round
/// is the last one.
pub fn takes_functions(program: &Program, options: &BuildOptions) -> Result<bool, BuildError> {
    let main = find_entry(program, &options.entry)?;
    let references = References::collect(program, main, &error_functions(program, options));
    Ok(!references.targets.is_empty())
}

fn error_functions(program: &Program, options: &BuildOptions) -> IdSet<FuncId> {
    let is_error =
        |f: &Function| options.error_functions.iter().any(|name| name == program.names.text(f.name));
    program.functions.iter().filter(|(_, f)| is_error(f)).map(|(id, _)| id).collect()
}

/// Builds the automata of `program` with the calls that were discovered. Also returns where more calls may be
/// found.
pub fn build_with(
    mut program: Program,
    options: &BuildOptions,
    discovered: &Discovered,
) -> Result<Built, BuildError> {
    let main = find_entry(&program, &options.entry)?;
    let error_functions = error_functions(&program, options);
    let mut references = References::collect(&program, main, &error_functions);
    let hidden = Hidden::collect(&mut program, &references.functions, &mut references.statics);
    let broken = options.error_functions.iter().find_map(|name| program.find_function(name));
    let must_be = broken.filter(|_| !options.must_be_defined.is_empty());
    let must_be = must_be.map(|broken| checks::MustBeDefined { within: &options.must_be_defined, broken });
    let checks = if must_be.is_some() { Checks::NONE } else { options.checks };
    let start = start::declare(&mut program);
    let said = std::mem::take(&mut program.assumptions);
    let (mut assumptions, mut assumed) = (Vec::new(), FxHashSet::default());
    // Assumptions about things that the program does not use do not matter.
    for assumption in said {
        let is_used = match assumption.about {
            About::Program => true,
            About::Function(function) => references.functions.contains(function),
            About::Object(var) => references.statics.contains(var),
        };
        if is_used && assumed.insert(assumption.text.clone()) {
            assumptions.push(assumption);
        }
    }
    let mut context = Context {
        defined: program.functions.iter().filter(|(_, f)| f.body.is_some()).map(|(id, _)| id).collect(),
        addressed: addressed_variables(&program),
        error_functions,
        references,
        assumptions,
        assumed,
        outside: FxHashMap::default(),
        hidden,
        discovered: discovered.clone(),
        met: Met::default(),
        environment: options.environment,
        program,
    };

    let mut frozen = Frozen::default();
    for function in context.program.functions.ids() {
        let mut draft = if function == start {
            Some(start::build(&mut context, start, main))
        } else {
            // Taken away, so that the frozen program has no second version of the body.
            let body = context.program.functions[function].body.take();
            body.map(|body| function::build(&mut context, function, &body, function == main))
        };
        if let Some(draft) = &mut draft {
            if let Some(mode) = context.hidden.mode.filter(|_| function != start) {
                rounding::insert(draft, &mut context.program, function, mode);
            }
            checks::insert(draft, &mut context.program, checks, options.members_apart, must_be.as_ref());
        }
        frozen.append(function, draft);
    }
    let mut cfa = frozen.into_cfa(context.program, start, main, context.assumptions, checks);
    cfa.members_apart = options.members_apart;
    verify(&cfa).map_err(BuildError::Broken)?;
    Ok(Built { cfa, met: context.met })
}

/// The data that the parts of the builder share.
struct Context {
    program: Program,
    defined: IdSet<FuncId>,
    /// Variables whose address some expression takes.
    addressed: IdSet<VarId>,
    error_functions: IdSet<FuncId>,
    references: References,
    assumptions: Vec<Assumption>,
    /// Texts in `assumptions`.
    assumed: FxHashSet<String>,
    /// The functions outside of the program, by type.
    outside: FxHashMap<TypeId, FuncId>,
    /// State behind library functions.
    hidden: Hidden,
    discovered: Discovered,
    met: Met,
    environment: Environment,
}

impl Context {
    /// Records an assumption of code that can run; each text once.
    fn assume(&mut self, function: FuncId, text: String, span: Span) {
        if self.references.functions.contains(function) && self.assumed.insert(text.clone()) {
            self.assumptions.push(Assumption { text, span, about: About::Function(function) });
        }
    }

    /// The function that stands for all functions of this type outside of the program.
    fn outside(&mut self, ty: TypeId) -> FuncId {
        let program = &mut self.program;
        *self.outside.entry(ty).or_insert_with(|| declare(program, "__summa_outside", ty))
    }
}

/// A new function without a body.
fn declare(program: &mut Program, name: &str, ty: TypeId) -> FuncId {
    program.functions.push(Function {
        name: program.names.intern(name),
        ty,
        span: Span::NONE,
        is_static: true,
        is_noreturn: false,
        is_weak: false,
        params: Vec::new(),
        result: None,
        body: None,
    })
}

fn find_entry(program: &Program, name: &str) -> Result<FuncId, BuildError> {
    let found = program.find_function(name);
    match found {
        Some(main) if program.functions[main].body.is_some() => Ok(main),
        _ => {
            let limit = 1 + name.chars().count() / 3;
            let defined = program.functions.values().filter(|f| f.body.is_some());
            let mut near: Vec<(usize, String)> = defined
                .map(|f| program.names.text(f.name))
                .map(|other| (edit_distance(name, other), other.to_string()))
                .filter(|&(distance, _)| distance <= limit)
                .collect();
            near.sort();
            near.dedup();
            let similar = near.into_iter().take(3).map(|(_, other)| other).collect();
            Err(BuildError::NoEntry { name: name.to_string(), declared: found.is_some(), similar })
        }
    }
}

/// Insertions, deletions and replacements that turn one word into the other; case does not count.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn addressed_variables(program: &Program) -> IdSet<VarId> {
    let exprs = &program.exprs;
    let addresses = exprs.expr_ids().filter_map(|id| match exprs.expr(id).kind {
        ExprKind::Addr(place) => exprs.root(place),
        _ => None,
    });
    addresses.collect()
}
