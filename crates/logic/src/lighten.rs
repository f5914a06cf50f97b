//! Formulas without their hard atoms.
//!
//! Block formulas hold the conditions of all branches, also of branches that are irrelevant to the property:
//! comparisons of bytes in memory, remainders, products, floats. An atom with such an operation is replaced
//! by a boolean symbol. The same atom always gets the same symbol, so that parts which depend on it stay
//! correlated. The result is weaker, so what follows from it also follows from the original.
//!
//! Abstractions leave such atoms open if they share nothing with the predicates. When a counterexample comes
//! back, everything is exact again.

use crate::workbench::Workbench;
use summa_base::{FxHashMap, FxHashSet};
use summa_term::{Kind, Op, Sort, Term, Terms};

/// Formulas with booleans in place of atoms.
pub struct Light {
    pub formulas: Vec<Term>,
    /// What each boolean stands for.
    atoms: FxHashMap<Term, Term>,
}

impl Light {
    /// Was anything replaced?
    pub fn is_lighter(&self) -> bool {
        !self.atoms.is_empty()
    }

    /// The formula with its atoms restored.
    pub fn restore(&self, terms: &mut Terms, formula: Term) -> Term {
        terms.substitute(formula, &self.atoms)
    }
}

impl Workbench<'_> {
    /// Replaces the hard atoms that share no symbol with a relevant formula.
    pub fn lighten(&mut self, formulas: &[Term], relevant: &[Term]) -> Light {
        let terms = &mut self.paths.encoder.terms;
        let kept: FxHashSet<Term> =
            relevant.iter().flat_map(|&formula| terms.free_symbols(formula)).collect();
        let (mut booleans, mut atoms) = (FxHashMap::default(), FxHashMap::default());
        for term in terms.post_order(formulas) {
            if !is_atom(terms, term) || !is_hard(terms, &mut self.hard, term) {
                continue;
            }
            if terms.free_symbols(term).iter().any(|symbol| kept.contains(symbol)) {
                continue;
            }
            let symbol = terms.declare("atom", Sort::Bool);
            // One boolean for each atom, whichever formulas it is met in.
            let boolean = terms.symbol(symbol, summa_base::Id::index(term) as u32);
            booleans.insert(term, boolean);
            atoms.insert(boolean, term);
        }
        let formulas = formulas.iter().map(|&formula| terms.substitute(formula, &booleans)).collect();
        Light { formulas, atoms }
    }
}

/// A boolean term that is not a combination of others.
fn is_atom(terms: &Terms, term: Term) -> bool {
    terms.sort(term) == Sort::Bool && terms.as_app(term).is_some() && terms.connective(term).is_none()
}

/// Does an operation occur that makes solvers slow? Conditions inside are atoms of their own and do not
/// count.
fn is_hard(terms: &Terms, known: &mut FxHashMap<Term, bool>, atom: Term) -> bool {
    if let Some(&known) = known.get(&atom) {
        return known;
    }
    let mut seen = FxHashSet::default();
    let (mut todo, mut hard) = (vec![atom], false);
    while let Some(term) = todo.pop() {
        if !seen.insert(term) || term != atom && terms.sort(term) == Sort::Bool {
            continue;
        }
        match terms.kind(term) {
            Kind::App(op, args) => {
                let factors = args.iter().filter(|&&arg| !terms.is_constant(arg)).count();
                hard |= is_hard_operation(*op) || matches!(op, Op::Mul | Op::BvMul) && factors > 1;
                todo.extend_from_slice(args);
            }
            Kind::Quantified(..) => hard = true,
            _ => {}
        }
    }
    known.insert(atom, hard);
    hard
}

fn is_hard_operation(op: Op) -> bool {
    use Op::*;
    let arithmetic = matches!(op, Div | Mod | BvUdiv | BvUrem | BvSdiv | BvSrem);
    let memory = matches!(op, Select | Store | ConstArray | Apply(_));
    let floats = matches!(
        op,
        FloatAdd
            | FloatSub
            | FloatMul
            | FloatDiv
            | FloatRem
            | FloatSqrt
            | FloatRoundToIntegral(_)
            | FloatRounded(..)
            | FloatToFloat
            | FloatFromSbv
            | FloatFromUbv
            | FloatToSbv
            | FloatToUbv
            | FloatFromBits
    );
    arithmetic || memory || floats
}
