//! Which names are typedefs here. Ordinary names matter only where they hide a typedef, so most declarations
//! change nothing. One bit per symbol says whether the name is a typedef now, and a log says what to restore
//! at the end of scopes.

use summa_base::{Id, Symbol};

#[derive(Debug)]
pub(super) struct Scopes {
    is_typedef: Vec<bool>,
    /// Names whose meaning changed, with the former one.
    log: Vec<(Symbol, bool)>,
    /// The lengths of `log` at which the open scopes began.
    starts: Vec<usize>,
}

/// The scopes that were open at some point.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScopesMark {
    open: usize,
}

impl Scopes {
    pub(super) fn new(symbols: usize) -> Self {
        Self { is_typedef: vec![false; symbols], log: Vec::new(), starts: Vec::new() }
    }

    #[inline]
    pub(super) fn is_typedef(&self, name: Symbol) -> bool {
        self.is_typedef.get(name.index()).copied().unwrap_or(false)
    }

    #[inline]
    pub(super) fn declare(&mut self, name: Symbol, is_typedef: bool) {
        if let Some(entry) = self.is_typedef.get_mut(name.index())
            && *entry != is_typedef
        {
            self.log.push((name, *entry));
            *entry = is_typedef;
        }
    }

    #[inline]
    pub(super) fn enter(&mut self) {
        self.starts.push(self.log.len());
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        while self.log.len() > start {
            if let Some((name, former)) = self.log.pop() {
                self.is_typedef[name.index()] = former;
            }
        }
    }

    pub(super) fn mark(&self) -> ScopesMark {
        ScopesMark { open: self.starts.len() }
    }

    /// Leaves the scopes that were entered since `mark`.
    pub(super) fn leave_to(&mut self, mark: ScopesMark) {
        while self.starts.len() > mark.open {
            self.leave();
        }
    }
}
