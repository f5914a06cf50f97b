//! Octagons: conjunctions of ±x ±y ≤ c over integers, in the one form that answers all questions.
//!
//! Paper: Miné, *The octagon abstract domain*, Higher-Order and Symbolic Computation 2006. For each variable
//! x there are two forms, x and -x; the entry (i, j) of a matrix bounds vⱼ - vᵢ. Closure makes every bound as
//! small as the others imply. Over the integers this takes three steps: shortest paths, rounding of the
//! bounds of single variables, and their sums (Bagnara, Hill, Zaffanella, *An improved tight closure
//! algorithm for integer octagonal constraints*, VMCAI 2008). Octagons here are always closed and never
//! empty.
//!
//! Limits: constraints about more than [`MAX_VARIABLES`] variables are forgotten, which says less.

use summa_c::tree::VarId;

/// The names of the variables in constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    Now(VarId),
    /// The variable after something that is on the way.
    Next(VarId),
}

/// Σ ±xᵢ ≤ bound, over one or two different variables; true stands for minus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    pub terms: Vec<(Name, bool)>,
    pub bound: i128,
}

/// Closure takes the cube of this in time.
pub const MAX_VARIABLES: usize = 14;

/// No bound.
const NONE: i128 = i128::MAX;
/// Larger bounds say nothing about integers of C, and smaller ones are never needed.
const LARGEST: i128 = 1 << 80;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Octagon {
    /// Ascending; each has a bound.
    names: Vec<Name>,
    /// Rows of a square with two rows for each name.
    bounds: Vec<i128>,
}

fn plus(a: i128, b: i128) -> i128 {
    if a == NONE || b == NONE { NONE } else { a + b }
}

/// -v of the form v.
fn negative(form: usize) -> usize {
    form ^ 1
}

impl Octagon {
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// Is the octagon at its limit of variables? Then it may say less than possible.
    pub fn is_full(&self) -> bool {
        self.names.len() >= MAX_VARIABLES
    }

    fn forms(&self) -> usize {
        2 * self.names.len()
    }

    fn at(&self, i: usize, j: usize) -> i128 {
        self.bounds[i * self.forms() + j]
    }

    fn lower(&mut self, i: usize, j: usize, bound: i128) {
        let at = i * self.forms() + j;
        self.bounds[at] = self.bounds[at].min(bound);
    }

    fn form(&self, (name, is_negative): (Name, bool)) -> Option<usize> {
        self.names.binary_search(&name).ok().map(|at| 2 * at + usize::from(is_negative))
    }

    /// The least c for which Σ ≤ c follows, over one or two different variables.
    pub fn bound(&self, terms: &[(Name, bool)]) -> Option<i128> {
        let bound = match *terms {
            [one] => {
                let form = self.form(one)?;
                let twice = self.at(negative(form), form);
                if twice == NONE { NONE } else { twice.div_euclid(2) }
            }
            [one, other] => self.at(negative(self.form(other)?), self.form(one)?),
            _ => NONE,
        };
        (bound != NONE).then_some(bound)
    }

    /// The constraints: bounds of single variables, and of pairs that do not follow from these.
    pub fn constraints(&self) -> Vec<Constraint> {
        let term = |form: usize| (self.names[form / 2], form % 2 == 1);
        let mut found = Vec::new();
        for i in 0..self.forms() {
            let twice = self.at(negative(i), i);
            if twice != NONE {
                found.push(Constraint { terms: vec![term(i)], bound: twice.div_euclid(2) });
            }
        }
        for i in 0..self.forms() {
            for j in (i / 2 + 1) * 2..self.forms() {
                // vᵢ + vⱼ
                let bound = self.at(negative(j), i);
                let alone = plus(self.at(negative(i), i), self.at(negative(j), j));
                let follows = alone != NONE && alone.div_euclid(2) <= bound;
                if bound != NONE && !follows {
                    found.push(Constraint { terms: vec![term(i), term(j)], bound });
                }
            }
        }
        found
    }

    /// The octagon with more constraints; None if they contradict.
    #[must_use]
    pub fn and<'c>(&self, constraints: impl IntoIterator<Item = &'c Constraint>) -> Option<Self> {
        let constraints: Vec<&Constraint> = constraints.into_iter().collect();
        let mut names = self.names.clone();
        for &(name, _) in constraints.iter().flat_map(|constraint| &constraint.terms) {
            if names.len() < MAX_VARIABLES && !names.contains(&name) {
                names.push(name);
            }
        }
        names.sort_unstable();
        let mut all = self.over(names);
        for constraint in constraints {
            if constraint.bound > LARGEST {
                continue;
            }
            let bound = constraint.bound.max(-LARGEST);
            let forms: Option<Vec<usize>> = constraint.terms.iter().map(|&term| all.form(term)).collect();
            match forms.as_deref() {
                Some(&[i]) => all.lower(negative(i), i, 2 * bound),
                Some(&[i, j]) => {
                    all.lower(negative(j), i, bound);
                    all.lower(negative(i), j, bound);
                }
                _ => {}
            }
        }
        all.closed()
    }

    /// The same with more variables, or with fewer of them.
    fn over(&self, names: Vec<Name>) -> Self {
        let forms = 2 * names.len();
        let mut bounds = vec![NONE; forms * forms];
        let old: Vec<Option<usize>> = names.iter().map(|name| self.names.binary_search(name).ok()).collect();
        let place = |form: usize| old[form / 2].map(|at| 2 * at + form % 2);
        for i in 0..forms {
            for j in 0..forms {
                bounds[i * forms + j] = match (place(i), place(j)) {
                    (Some(i), Some(j)) => self.at(i, j),
                    _ => NONE,
                };
            }
            bounds[i * forms + i] = 0;
        }
        Self { names, bounds }
    }

    /// Tight closure; None if there is no solution.
    fn closed(mut self) -> Option<Self> {
        let forms = self.forms();
        for k in 0..forms {
            for i in 0..forms {
                let through = self.at(i, k);
                if through == NONE {
                    continue;
                }
                for j in 0..forms {
                    let path = plus(through, self.at(k, j));
                    if path != NONE {
                        self.lower(i, j, path);
                    }
                }
            }
        }
        for i in 0..forms {
            if self.at(i, i) < 0 {
                return None;
            }
            let twice = self.at(i, negative(i));
            if twice != NONE {
                self.lower(i, negative(i), 2 * twice.div_euclid(2));
            }
        }
        for i in 0..forms {
            if plus(self.at(i, negative(i)), self.at(negative(i), i)) < 0 {
                return None;
            }
            for j in 0..forms {
                let sum = plus(self.at(i, negative(i)), self.at(negative(j), j));
                if sum != NONE && i != j {
                    self.lower(i, j, sum.div_euclid(2));
                }
            }
        }
        Some(self.plain())
    }

    /// The octagon without variables that have no constraint.
    fn plain(self) -> Self {
        let forms = self.forms();
        let is_known = |name: usize| {
            [2 * name, 2 * name + 1]
                .into_iter()
                .any(|i| (0..forms).any(|j| j != i && (self.at(i, j) != NONE || self.at(j, i) != NONE)))
        };
        if (0..self.names.len()).all(is_known) {
            return self;
        }
        let names =
            (0..self.names.len()).filter(|&name| is_known(name)).map(|name| self.names[name]).collect();
        self.over(names)
    }

    /// The octagon without the variables. Consequences for the others stay.
    #[must_use]
    pub fn without(&self, is_gone: impl Fn(Name) -> bool) -> Self {
        if !self.names.iter().any(|&name| is_gone(name)) {
            return self.clone();
        }
        let names = self.names.iter().copied().filter(|&name| !is_gone(name)).collect();
        self.over(names).plain()
    }

    /// With other names, which must be different from each other.
    #[must_use]
    pub fn rename(&self, rename: impl Fn(Name) -> Name) -> Self {
        let mut order: Vec<(Name, usize)> =
            self.names.iter().enumerate().map(|(at, &name)| (rename(name), at)).collect();
        order.sort_unstable();
        let forms = self.forms();
        let place = |form: usize| 2 * order[form / 2].1 + form % 2;
        let mut bounds = Vec::with_capacity(forms * forms);
        for i in 0..forms {
            bounds.extend((0..forms).map(|j| self.at(place(i), place(j))));
        }
        Self { names: order.into_iter().map(|(name, _)| name).collect(), bounds }
    }

    /// x + c takes the place of x.
    #[must_use]
    pub fn shifted(&self, name: Name, by: i128) -> Self {
        let mut shifted = self.clone();
        let Some(plain) = self.form((name, false)) else { return shifted };
        let change = |form: usize| match form {
            _ if form == plain => by,
            _ if form == negative(plain) => -by,
            _ => 0,
        };
        let forms = self.forms();
        for i in 0..forms {
            for j in 0..forms {
                let bound = &mut shifted.bounds[i * forms + j];
                if *bound != NONE {
                    *bound += change(j) - change(i);
                }
            }
        }
        shifted
    }

    /// The smallest octagon that holds both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        self.combine(other, i128::max)
    }

    /// Bounds that the other one does not keep are given up.
    #[must_use]
    pub fn widen(&self, other: &Self) -> Self {
        let widened = self.combine(other, |old, new| if new <= old { old } else { NONE });
        // It has the solutions of `self` at least.
        widened.closed().unwrap_or_default()
    }

    fn combine(&self, other: &Self, bound: impl Fn(i128, i128) -> i128) -> Self {
        let names: Vec<Name> =
            self.names.iter().copied().filter(|name| other.names.binary_search(name).is_ok()).collect();
        let (mut one, two) = (self.over(names.clone()), other.over(names));
        for (mine, theirs) in one.bounds.iter_mut().zip(&two.bounds) {
            *mine = bound(*mine, *theirs);
        }
        one.plain()
    }

    /// The conjunction of both; None if they contradict.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Option<Self> {
        self.and(&other.constraints())
    }

    /// Does all that the other one says follow?
    pub fn is_within(&self, other: &Self) -> bool {
        if other.names.iter().any(|name| self.names.binary_search(name).is_err()) {
            return false;
        }
        let mine = self.over(other.names.clone());
        mine.bounds.iter().zip(&other.bounds).all(|(mine, theirs)| mine <= theirs)
    }
}
