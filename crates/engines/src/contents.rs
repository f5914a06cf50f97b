//! The contracts of a proof by content: what was confirmed once, for the same code, need not be confirmed again.
//!
//! A contract is a fact about a function and all that it calls. The name of a function's content ([`crate::saved`]) stands for their
//! code and for what they can see of the program, a digest for what the contract says. When the checker has confirmed a proof, the
//! archive is told these pairs; in a later run the checker leaves out the contracts that the archive recognises.
//!
//! So the archive is a part of what a verdict rests on: it must recognise only what it was told by a run of the same user. That is
//! for whoever implements it to guarantee, by more than the name of a file.
//!
//! Limits: proofs that use invariants of the whole program say nothing about other programs, and are not kept.

use crate::saved::Archive;
use summa_proof::Proof;

/// A contract that an archive can recognise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractId {
    /// The name of the content of its function.
    pub function: String,
    /// What it says.
    pub digest: String,
}

/// The contracts of a proof, by the number of their procedure.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    contracts: Vec<ContractId>,
    is_known: Vec<bool>,
    /// All procedures that come from loaded summaries are known.
    pub(crate) relies_on_known: bool,
}

impl Contents {
    /// `function` names the content of a procedure's function.
    pub(crate) fn new(proof: &Proof, archive: &dyn Archive, function: impl Fn(usize) -> String) -> Self {
        let hash = |text: &[u8]| *blake3::hash(text).as_bytes();
        let Some(digests) = proof.contract_digests(hash) else { return Self::default() };
        let text = |digest: &[u8; 32]| blake3::Hash::from_bytes(*digest).to_hex().to_string();
        let contracts = digests.iter().enumerate();
        let contracts =
            contracts.map(|(number, digest)| ContractId { function: function(number), digest: text(digest) });
        let contracts: Vec<ContractId> = contracts.collect();
        let is_known = archive.recognises(&contracts);
        Self { contracts, is_known, relies_on_known: false }
    }

    /// Was the contract of this procedure confirmed by an earlier run?
    pub fn is_known(&self, procedure: usize) -> bool {
        self.is_known.get(procedure).copied().unwrap_or(false)
    }

    /// The proof was confirmed.
    pub fn confirmed(&self, proof: &Proof, archive: &dyn Archive) {
        if proof.lemmas.is_empty() {
            // The first is the program itself.
            let others = self.contracts.iter().zip(&self.is_known).skip(1);
            let new = others.filter(|(_, is_known)| !**is_known).map(|(contract, _)| contract.clone());
            archive.remember(&new.collect::<Vec<_>>());
        }
    }
}
