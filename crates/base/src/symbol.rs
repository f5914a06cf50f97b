//! Strings as small numbers: names are compared and hashed as `u32`.

use crate::{FxHashMap, Id};

crate::define_id! {
    /// An interned string; [`Interner::text`] gives it back.
    Symbol = "s";
}

/// Owns the strings behind [`Symbol`]s.
#[derive(Clone, Default)]
pub struct Interner {
    texts: Vec<Box<str>>,
    symbols: FxHashMap<Box<str>, Symbol>,
}

impl Interner {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol::from_index(self.texts.len());
        self.texts.push(text.into());
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    /// The symbol of `text` if it was interned before.
    pub fn lookup(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.index()]
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

impl std::fmt::Debug for Interner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.texts).finish()
    }
}
