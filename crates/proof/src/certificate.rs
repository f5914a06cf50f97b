//! A proof together with the program that it is about: the given program, or one that a transformation made
//! from it.
//!
//! **Theorem.** If the checker confirms the proof of a transformed program, no error that counts is reached
//! in the given one. For the errors that the transformation preserves, its theorem says so
//! ([`summa_transform::cells`]). [`crate::check()`] has the rest.
//!
//! A file does not contain the transformed program, only the name of the transformation. The checker carries
//! it out again, so nothing depends on what the file says about the program. A file that names a wrong
//! transformation is a wrong proof like any other.

use crate::in_c::{Audience, InC};
use crate::proof::Proof;
use serde_json::Value as Json;
use std::sync::Arc;
use summa_cfa::{Cfa, ErrorKind};
use summa_facts::Analyses;
use summa_transform::{Transformation, Transformed};

const TRANSFORMATION: &str = "transformation";

/// A proof that can be checked, given the program.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub proof: Proof,
    /// The program that the proof is about; None for the given one.
    pub about: Option<Arc<Transformed>>,
}

impl From<Proof> for Certificate {
    fn from(proof: Proof) -> Self {
        Self { proof, about: None }
    }
}

impl Certificate {
    /// The automata that the proof is about.
    pub fn cfa<'a>(&'a self, given: &'a Cfa) -> &'a Cfa {
        self.about.as_ref().map_or(given, |made| &made.cfa)
    }

    pub fn to_json(&self, given: &Cfa) -> Json {
        let mut json = self.proof.to_json(self.cfa(given));
        if let Some(made) = &self.about {
            json[TRANSFORMATION] = made.transformation.to_json(given);
        }
        json
    }

    /// Reads a file that may come from anywhere, as a proof that no error that counts is reached. Carries out
    /// the transformation that it names.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn from_json(given: &Cfa, json: &Json, counts: &dyn Fn(ErrorKind) -> bool) -> Result<Self, String> {
        let about = match json.get(TRANSFORMATION) {
            None => None,
            Some(description) => {
                let transformation = Transformation::from_json(given, description, counts)?;
                Some(Arc::new(transformation.apply(given, &Analyses::new(given))?))
            }
        };
        let proof = Proof::from_json(about.as_ref().map_or(given, |made| &made.cfa), json)?;
        Ok(Self { proof, about })
    }

    /// What of the proof can be said in C about the given program. Of a transformed program it is what speaks
    /// of variables and loops that both have; contracts stay there.
    pub fn in_c(&self, given: &Cfa, facts: &Analyses, audience: Audience) -> InC {
        let Some(made) = &self.about else { return self.proof.in_c(given, facts, audience) };
        if !made.follows_all {
            return InC::default();
        }
        let said = self.proof.in_c_about(&made.cfa, &Analyses::new(&made.cfa), audience, &|var| {
            made.origin.variable(var).is_some()
        });
        let home = |(node, text)| Some((made.origin.node(node)?, text));
        let mut invariants: Vec<_> = said.invariants.into_iter().filter_map(home).collect();
        invariants.sort();
        InC { invariants, ..InC::default() }
    }
}
