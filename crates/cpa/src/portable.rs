//! States as data: saved by one run, loaded by another one of the same program, for stores that outlive a
//! process.
//!
//! What is saved names things of the program (locations, variables, calls), never the numbers of tables that
//! a run makes. It may come from anywhere: loading refuses what does not fit the program, and never panics.

use crate::cpa::Cpa;
use crate::product::{Component, Product};
use serde_json::Value as Json;
use std::fmt;

/// Why a state cannot be saved, or why what was saved is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit(pub String);

impl Misfit {
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misfit {}

/// An analysis whose states can be saved. A state that is loaded covers the saved one and is covered by it.
pub trait Portable: Cpa {
    /// # Errors
    /// The state means nothing outside of its run.
    fn save(&self, state: &Self::State) -> Result<Json, Misfit>;

    /// # Errors
    /// It is no state of this program.
    fn load(&mut self, saved: &Json) -> Result<Self::State, Misfit>;
}

/// The states of the components, in order.
impl<D: Component + Portable> Portable for Product<D> {
    fn save(&self, state: &Self::State) -> Result<Json, Misfit> {
        let parts = self.components.iter().zip(state.iter()).map(|(component, state)| component.save(state));
        parts.collect::<Result<Vec<Json>, Misfit>>().map(Json::Array)
    }

    fn load(&mut self, saved: &Json) -> Result<Self::State, Misfit> {
        let parts = saved.as_array().ok_or_else(|| Misfit::new("a product is a list"))?;
        if parts.len() != self.components.len() {
            let (there, wanted) = (parts.len(), self.components.len());
            return Err(Misfit(format!("{there} components instead of {wanted}")));
        }
        let loaded = self.components.iter_mut().zip(parts).map(|(component, part)| component.load(part));
        loaded.collect::<Result<Vec<D::State>, Misfit>>().map(Into::into)
    }
}
