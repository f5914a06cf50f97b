//! Bounds of integer terms, read off their syntax: what shows that a sum cannot wrap around.

use summa_base::FxHashMap;
use summa_term::{Kind, Op, SymbolId, Term, Terms};

/// Inclusive bounds; None if unknown or beyond `i128`.
pub(crate) type Range = Option<(i128, i128)>;

/// Remembers the bounds of symbols and of the terms that were asked about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    symbols: FxHashMap<SymbolId, (i128, i128)>,
    known: FxHashMap<Term, Range>,
}

/// Terms are not looked into deeper than this: bounds are a convenience.
const MAX_DEPTH: u32 = 64;

impl Bounds {
    /// All versions of the symbol lie in the range (an assumption that the caller makes elsewhere).
    pub(crate) fn declare(&mut self, symbol: SymbolId, range: (i128, i128)) {
        self.symbols.insert(symbol, range);
    }

    /// Records that the term lies in the range, though its syntax may not show it.
    pub(crate) fn narrow(&mut self, terms: &Terms, term: Term, (lo, hi): (i128, i128)) {
        let (a, b) = self.of(terms, term).unwrap_or((lo, hi));
        self.known.insert(term, Some((a.max(lo), b.min(hi))));
    }

    pub(crate) fn of(&mut self, terms: &Terms, term: Term) -> Range {
        self.search(terms, term, MAX_DEPTH)
    }

    fn search(&mut self, terms: &Terms, term: Term, depth: u32) -> Range {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        if depth == 0 {
            return None;
        }
        let range = match terms.kind(term) {
            Kind::Int(value) => i128::try_from(value).ok().map(|value| (value, value)),
            Kind::Symbol(symbol, _) => self.symbols.get(symbol).copied(),
            Kind::App(op, args) => self.application(terms, *op, args, depth - 1),
            Kind::True | Kind::False | Kind::Bv(_) | Kind::Float(_) | Kind::Quantified(..) => None,
        };
        self.known.insert(term, range);
        range
    }

    fn application(&mut self, terms: &Terms, op: Op, args: &[Term], depth: u32) -> Range {
        match (op, args) {
            (Op::Add, args) => args.iter().try_fold((0i128, 0i128), |(lo, hi), &arg| {
                let (a, b) = self.search(terms, arg, depth)?;
                Some((lo.checked_add(a)?, hi.checked_add(b)?))
            }),
            (Op::Mul, &[a, b]) => {
                let ((a, b), (c, d)) = (self.search(terms, a, depth)?, self.search(terms, b, depth)?);
                let products = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
                Some((*products.iter().min()?, *products.iter().max()?))
            }
            (Op::Ite, &[_, a, b]) => {
                let ((a, b), (c, d)) = (self.search(terms, a, depth)?, self.search(terms, b, depth)?);
                Some((a.min(c), b.max(d)))
            }
            (Op::Mod, &[a, m]) => {
                let (m, same) = self.search(terms, m, depth)?;
                if m <= 0 || m != same {
                    return None;
                }
                match self.search(terms, a, depth) {
                    Some((lo, hi)) if lo >= 0 && hi < m => Some((lo, hi)),
                    _ => Some((0, m - 1)),
                }
            }
            (Op::Div, &[a, d]) => {
                let (d, same) = self.search(terms, d, depth)?;
                let (lo, hi) = self.search(terms, a, depth)?;
                (d > 0 && d == same).then(|| (lo.div_euclid(d), hi.div_euclid(d)))
            }
            _ => None,
        }
    }
}
