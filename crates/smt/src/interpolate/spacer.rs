//! Interpolants from Z3's Horn engine: one predicate for each node over its vocabulary, one clause for each
//! node,
//!
//! `⋀ P_c(…) ∧ φᵢ → Pᵢ(…)` and `⋀ P_c(…) ∧ φ_root → error`.
//!
//! The clauses have no recursion, so the predicates of a solution are tree interpolants. The engine prefers
//! inductive lemmas, which is why its answers generalise.
//!
//! Paper: Komuravelli, Gurfinkel, Chaki, *SMT-based model checking for recursive programs*, 2014.
//! Limits: no uninterpreted functions (see [`super::functions`]) and no floats in time.

use super::problem::{Tree, Vocabulary};
use crate::workbench::Workbench;
use crate::z3::{Clause, Decl, HornAnswer, HornParameters, NativeError, View};
use rustc_hash::FxHashMap;
use summa_term::{Sort, Term, Terms};
use z3_sys::DeclKind;

pub(crate) fn interpolate(
    bench: &mut Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
) -> Result<Vec<Term>, NativeError> {
    let context = bench.family.context.clone();
    let natives = |terms: &Terms, all: &[Term]| {
        all.iter().map(|&term| bench.family.native(terms, term)).collect::<Result<Vec<_>, _>>()
    };
    let mut predicates = Vec::new();
    for i in tree.inner() {
        let sorts: Vec<Sort> = vocabularies[i].symbols.iter().map(|&symbol| terms.sort(symbol)).collect();
        predicates.push(context.function(terms, &format!("node!{i}"), &sorts, Sort::Bool)?);
    }
    let error = context.function(terms, "node!error", &[], Sort::Bool)?;

    let mut clauses = Vec::new();
    for (i, node) in tree.nodes().iter().enumerate() {
        let mut bound = Vocabulary::of(terms, node.formula);
        let mut premises = Vec::new();
        for &child in &node.children {
            bound.symbols.extend(&vocabularies[child].symbols);
            premises.push(predicates[child].apply(&natives(terms, &vocabularies[child].symbols)?)?);
        }
        premises.extend(natives(terms, &terms.conjuncts(node.formula))?);
        let conclusion = match predicates.get(i) {
            Some(predicate) => {
                bound.symbols.extend(&vocabularies[i].symbols);
                predicate.apply(&natives(terms, &vocabularies[i].symbols)?)?
            }
            None => error.apply(&[])?,
        };
        bound.symbols.sort_unstable();
        bound.symbols.dedup();
        clauses.push(Clause { bound: natives(terms, &bound.symbols)?, premises, conclusion });
    }

    let min_level = u32::try_from(tree.depth()).unwrap_or(u32::MAX).saturating_add(1);
    let limits = bench.limits();
    bench.queries += 1;
    let parameters = HornParameters { min_level };
    match context.solve_horn(terms, &predicates, &clauses, &error, &parameters, &limits)? {
        HornAnswer::Underivable(answer) => read(bench, terms, tree, vocabularies, &predicates, &answer),
        HornAnswer::Derivable => Err(NativeError("the clauses derive an error".into())),
        HornAnswer::Unknown(stopped) => {
            Err(NativeError(format!("the Horn engine does not know: {stopped:?}")))
        }
    }
}

/// The answer is a conjunction of `∀ x. P(x) = definition`, and of `P = definition`, `P` or `¬P` without
/// arguments.
fn read(
    bench: &Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
    predicates: &[Decl],
    answer: &crate::z3::Ast,
) -> Result<Vec<Term>, NativeError> {
    let nodes: FxHashMap<u32, usize> =
        predicates.iter().enumerate().map(|(i, decl)| (decl.id(), i)).collect();
    let mut interpolants = vec![Terms::TRUE; tree.nodes().len()];
    interpolants[tree.root()] = Terms::FALSE;
    let definitions = match answer.view()? {
        View::App(_, DeclKind::And, args) => args,
        _ => vec![answer.clone()],
    };
    for definition in definitions {
        let (equation, bound) = match definition.view()? {
            View::Quantifier(count, body) => (body, count as usize),
            _ => (definition, 0),
        };
        let (head, body) = match equation.view()? {
            View::App(_, DeclKind::Eq | DeclKind::Iff, args) if args.len() == 2 => {
                (args[0].clone(), Some(args[1].clone()))
            }
            View::App(_, DeclKind::Not, args) if args.len() == 1 => {
                (args[0].clone(), Some(bench.family.context.boolean(false)?))
            }
            _ => (equation, None),
        };
        let View::App(decl, _, args) = head.view()? else {
            return Err(NativeError("a definition of no predicate".into()));
        };
        let Some(&node) = nodes.get(&decl.id()) else { continue };
        let Some(body) = body else { continue }; // true
        // Which symbol each bound variable stands for, by its index.
        let mut values = vec![None; bound];
        for (arg, &symbol) in args.iter().zip(&vocabularies[node].symbols) {
            if let View::Bound(index) = arg.view()?
                && let Some(slot) = values.get_mut(index as usize)
            {
                *slot = Some(bench.family.native(terms, symbol)?);
            }
        }
        let values: Option<Vec<_>> = values.into_iter().collect();
        let values = values.ok_or_else(|| NativeError("a definition over other variables".into()))?;
        let body = bench.family.context.instantiate(&body, &values)?;
        interpolants[node] = bench.family.import(terms, &body)?;
    }
    Ok(interpolants)
}
