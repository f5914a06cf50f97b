//! Elimination of quantifiers: the result has none of the symbols, is implied, and is equivalent when it says
//! so.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use summa_smt::quantifier::{Eliminated, QuantifierElimination};
use summa_smt::{Answer, Family, Limits, Solver, Z3Solver};
use summa_term::{Quantifier, Sort, Term, Terms, smtlib};

struct World {
    terms: Terms,
    elimination: QuantifierElimination,
    solver: Z3Solver,
}

impl World {
    fn new() -> Self {
        let family = Family::new().unwrap();
        let elimination = QuantifierElimination::new(&family).unwrap();
        let solver = Z3Solver::new(&family).unwrap();
        Self { terms: Terms::new(), elimination, solver }
    }

    fn symbols<const N: usize>(&mut self, sort: Sort) -> [Term; N] {
        let family = self.terms.declare("v", sort);
        std::array::from_fn(|i| self.terms.symbol(family, i as u32))
    }

    fn is_unsat(&mut self, formulas: &[Term]) -> Option<bool> {
        self.solver.set_limits(Limits::timeout(std::time::Duration::from_millis(250)));
        self.solver.push();
        formulas.iter().for_each(|&formula| self.solver.assert(&self.terms, formula));
        let answer = self.solver.check(&mut self.terms, &[]);
        self.solver.pop();
        match answer {
            Answer::Unsat => Some(true),
            Answer::Sat => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// Eliminates and checks what must hold of every result.
    fn eliminate(&mut self, symbols: &[Term], formula: Term) -> Eliminated {
        let result = self.elimination.exists(&mut self.terms, symbols, formula, &Limits::default());
        let text = format!(
            "{} to {}",
            smtlib::print(&self.terms, formula),
            smtlib::print(&self.terms, result.formula)
        );
        let left = self.terms.free_symbols(result.formula);
        assert!(symbols.iter().all(|symbol| !left.contains(symbol)), "a symbol is left: {text}");
        let negated = self.terms.not(result.formula);
        assert_ne!(self.is_unsat(&[formula, negated]), Some(false), "not implied: {text}");
        if result.exact {
            let never = self.terms.not(formula);
            let never = self.terms.quantify(Quantifier::Forall, symbols, never);
            assert_ne!(self.is_unsat(&[result.formula, never]), Some(false), "not exact: {text}");
        }
        result
    }
}

#[test]
fn equations_are_substituted() {
    let mut world = World::new();
    let [x, y, z] = world.symbols(Sort::Bv(32));
    let terms = &mut world.terms;
    let three = terms.bv(32, 3);
    let sum = terms.bv_add(x, three);
    let parts = [terms.eq(sum, y), terms.bv_ult(x, z)];
    let formula = terms.and(&parts);
    let result = world.eliminate(&[x], formula);
    let terms = &mut world.terms;
    let difference = terms.bv_sub(y, three);
    assert_eq!(result, Eliminated { formula: terms.bv_ult(difference, z), exact: true });
}

#[test]
fn bounds_of_integers_meet() {
    let mut world = World::new();
    let [x, y, z] = world.symbols(Sort::Int);
    let terms = &mut world.terms;
    let double = terms.scaled(2, x);
    let parts = [terms.le(y, double), terms.le(x, z)];
    let formula = terms.and(&parts);
    let result = world.eliminate(&[x], formula);
    let terms = &mut world.terms;
    let double = terms.scaled(2, z);
    assert_eq!(result, Eliminated { formula: terms.le(y, double), exact: true });
}

#[test]
fn overwritten_elements_are_forgotten() {
    let mut world = World::new();
    let sort = world.terms.array_of(Sort::Int, Sort::Int);
    let [old, new] = world.symbols(sort);
    let terms = &mut world.terms;
    let [zero, one, seven] = [0, 1, 7].map(|n| terms.int(n));
    let written = terms.store(old, one, seven);
    let first = terms.select(old, zero);
    let parts = [terms.eq(new, written), terms.eq(first, seven)];
    let formula = terms.and(&parts);
    let result = world.eliminate(&[old], formula);
    let terms = &mut world.terms;
    let both = [zero, one].map(|index| {
        let element = terms.select(new, index);
        terms.eq(element, seven)
    });
    assert_eq!(result, Eliminated { formula: terms.and(&both), exact: true });
}

#[test]
fn what_cannot_be_eliminated_is_dropped() {
    let mut world = World::new();
    let [x, y] = world.symbols(Sort::Bv(64));
    let terms = &mut world.terms;
    let [four, seven] = [4, 7].map(|n| terms.bv(64, n));
    let product = terms.bv_mul(x, x);
    let product = terms.bv_mul(product, y);
    let parts = [terms.eq(product, seven), terms.bv_ult(y, four)];
    let formula = terms.and(&parts);
    let result = world.eliminate(&[x], formula);
    let kept = world.terms.bv_ult(y, four);
    assert!(result.exact || result.formula == kept, "{result:?}");
}

/// Random conjunctions and disjunctions of small comparisons, over integers and over short bit-vectors.
#[test]
fn random_formulas() {
    let mut world = World::new();
    let mut state = 0x9e37_79b9_u64;
    let mut random = move |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut exact = 0;
    for round in 0..80 {
        let sort = if round % 2 == 0 { Sort::Int } else { Sort::Bv(4) };
        let vars: [Term; 4] = world.symbols(sort);
        let terms = &mut world.terms;
        let mut side = |terms: &mut Terms| {
            let mut sum = match sort {
                Sort::Int => terms.int(random(7) as i64 - 3),
                _ => terms.bv(4, u128::from(random(16))),
            };
            for &var in &vars {
                if random(3) == 0 {
                    let factor = random(4) as i64 - 1;
                    sum = match sort {
                        Sort::Int => {
                            let product = terms.scaled(factor, var);
                            terms.add2(sum, product)
                        }
                        _ => {
                            let factor = terms.bv_signed(4, factor.into());
                            let product = terms.bv_mul(factor, var);
                            terms.bv_add(sum, product)
                        }
                    };
                }
            }
            (sum, random(6))
        };
        let mut atom = |terms: &mut Terms| {
            let ((a, kind), (b, _)) = (side(terms), side(terms));
            match (kind, sort) {
                (0 | 1, _) => terms.eq(a, b),
                (2, _) => terms.ne(a, b),
                (_, Sort::Int) => terms.le(a, b),
                (3, _) => terms.bv_ule(a, b),
                _ => terms.bv_sle(a, b),
            }
        };
        let parts: Vec<Term> = (0..4)
            .map(|_| {
                let either = [atom(terms), atom(terms)];
                if round % 3 == 0 { terms.or(&either) } else { either[0] }
            })
            .collect();
        let formula = terms.and(&parts);
        exact += u32::from(world.eliminate(&vars[..2], formula).exact);
    }
    assert!(exact > 60, "only {exact} of 80 were exact");
}
