//! Contracts by content: what was confirmed once, for the same code, need not be confirmed again.
//!
//! A contract is a fact about a function and all that it calls. It is identified by two things. The name of
//! the function's content ([`crate::saved`]) stands for the code and for what the code can see of the
//! program. A digest stands for what the contract says, in names that mean the same wherever the code does
//! ([`summa_encode::CellNames`]). Names of symbols would not do, since they are counted over the whole
//! program. When the checker has confirmed a proof, the archive stores these pairs. In a later run the
//! checker leaves out the contracts that the archive recognises.
//!
//! So a verdict rests on the archive too: it must recognise only what a run of the same user stored. Its
//! implementation must guarantee that by more than the name of a file; `cli` seals each entry with a key of
//! the user.
//!
//! Limits: proofs that use invariants of the whole program say nothing about other programs, and are not
//! kept.

use crate::saved::Archive;
use summa_cfa::Cfa;
use summa_facts::Analyses;
use summa_proof::Proof;

/// A contract that an archive can recognise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractId {
    /// The name of the content of its function.
    pub function: String,
    /// A digest of what the contract says.
    pub digest: String,
}

/// The contracts of a proof, by the number of their procedure.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// None for one that says something which has no name by content.
    contracts: Vec<Option<ContractId>>,
    is_known: Vec<bool>,
    /// All procedures that come from loaded summaries are known.
    pub(crate) relies_on_known: bool,
}

impl Contents {
    /// `function` names the content of a procedure's function.
    pub(crate) fn new(
        proof: &Proof,
        (cfa, facts): (&Cfa, &Analyses),
        archive: &dyn Archive,
        function: impl Fn(usize) -> String,
    ) -> Self {
        let hash = |text: &[u8]| *blake3::hash(text).as_bytes();
        let text = |digest: [u8; 32]| blake3::Hash::from_bytes(digest).to_hex().to_string();
        let digests = proof.contract_digests(cfa, facts, hash).into_iter().enumerate();
        let contracts: Vec<Option<ContractId>> = digests
            .map(|(number, digest)| Some(ContractId { function: function(number), digest: text(digest?) }))
            .collect();
        let nameable: Vec<ContractId> = contracts.iter().flatten().cloned().collect();
        let mut answers = archive.recognises(&nameable).into_iter();
        let is_known = contracts.iter().map(|contract| contract.is_some() && answers.next() == Some(true));
        Self { is_known: is_known.collect(), contracts, relies_on_known: false }
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
            let new = others.filter(|(_, is_known)| !**is_known).filter_map(|(contract, _)| contract.clone());
            archive.remember(&new.collect::<Vec<_>>());
        }
    }
}
