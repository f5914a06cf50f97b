//! Calls of functions with contracts. They are not followed: something is shown before the call, and
//! something is known after it.

use crate::check::{Cases, Checker, Start};
use crate::formulas::Formulas;
use crate::proof::Procedure;
use crate::refusal::{Obligation, Refusal};
use crate::show::After;
use crate::walk::Walked;
use summa_base::FxHashMap;
use summa_c::tree::FuncId;
use summa_cfa::{EdgeId, Op};
use summa_encode::{Encoder, Interface, PathId, Summary};
use summa_facts::blocks::{BlockKind, Partition};
use summa_term::{Term, Terms};

/// More contracts of one function than a call with a contract that surely applies takes into account besides
/// that.
const MANY_CONTRACTS: usize = 16;

/// A contract, as terms.
struct Contract {
    requires: Term,
    /// The same about the copies of the inputs.
    required: Term,
    ensures: Term,
}

pub(crate) struct Contracts {
    pub(crate) interface: Interface,
    list: Vec<Contract>,
}

impl Checker<'_> {
    /// The contracts of the functions other than the program's own.
    pub(crate) fn add_contracts(
        &mut self,
        procedures: &[Procedure],
        formulas: &Formulas,
    ) -> Result<(), Refusal> {
        if procedures.is_empty() {
            return Ok(());
        }
        let blocks = self.facts.blocks(self.cfa, Partition::Functions);
        let functions: FxHashMap<FuncId, _> = blocks
            .blocks
            .values()
            .filter_map(|block| match block.kind {
                BlockKind::Function(function) => Some((function, block)),
                BlockKind::Loop(_) => None,
            })
            .collect();
        for procedure in procedures {
            let no_body = || Refusal::Malformed("a contract of a function without a body".to_owned());
            let block = functions.get(&procedure.function).ok_or_else(no_body)?;
            let encoder = &self.paths.encoder;
            let contracts = self.contracts.entry(procedure.function).or_insert_with(|| {
                let interface = Interface::new(encoder, block).with_outer_locals(encoder, procedure.function);
                Contracts { interface, list: Vec::new() }
            });
            let requires = formulas.get(procedure.requires)?;
            let required = about_copies(&mut self.paths.encoder, &contracts.interface, requires)?;
            contracts.list.push(Contract { requires, required, ensures: formulas.get(procedure.ensures)? });
        }
        Ok(())
    }

    /// A call that is not followed: behind it, what the contracts say. None if no execution returns.
    pub(crate) fn by_contract(
        &mut self,
        path: PathId,
        call: EdgeId,
        callee: FuncId,
        walked: &mut Walked,
    ) -> Result<Option<PathId>, Refusal> {
        let entered = self.paths.enter(path, call);
        walked.calls.push((call, entered));
        let mut after = After::new(&self.paths, entered);
        let Some(contracts) = self.contracts.get(&callee) else { return Ok(None) };
        let (mut certain, mut possible) = (Vec::new(), Vec::new());
        for contract in &contracts.list {
            match after.read(&mut self.paths, contract.requires) {
                Terms::TRUE => certain.push(contract.ensures),
                Terms::FALSE => {}
                _ => possible.push(self.paths.encoder.terms.implies(contract.required, contract.ensures)),
            }
        }
        // Contracts that may apply can say more than one that surely applies. If there are many, they cost
        // more than they say.
        if certain.is_empty() || possible.len() <= MANY_CONTRACTS {
            certain.extend(possible);
        }
        let known = certain;
        let formula = self.paths.encoder.terms.and(&known);
        if formula == Terms::FALSE {
            return Ok(None);
        }
        let interface = contracts.interface.clone();
        let behind = self.paths.summarise(path, &interface, Summary { call: Some(call), formula, exit: 0 });
        Ok(Some(self.paths.receive(behind, call)))
    }

    /// A contract applies to every call.
    pub(crate) fn show_calls(&mut self, start: &Start, walked: &Walked) -> Result<(), Refusal> {
        for &(call, entered) in &walked.calls {
            let Op::Call { callee, .. } = self.cfa.edge(call).op else { continue };
            let Some(contracts) = self.contracts.get(&callee) else { continue };
            let terms = &self.paths.encoder.terms;
            let requires: Cases =
                contracts.list.iter().map(|contract| terms.conjuncts(contract.requires)).collect();
            let at = (Obligation::Requires, self.cfa.edge(call).from, Some(call));
            self.show(&start.premises, entered, &requires, at)?;
        }
        Ok(())
    }
}

/// A formula about inputs as one about their copies.
fn about_copies(encoder: &mut Encoder<'_>, interface: &Interface, formula: Term) -> Result<Term, Refusal> {
    let mut copies = FxHashMap::default();
    for symbol in encoder.terms.free_symbols(formula) {
        let cell = encoder.terms.as_symbol(symbol).and_then(|(family, _)| encoder.cells.of_symbol(family));
        let input = cell.filter(|cell| interface.inputs.binary_search(cell).is_ok());
        let Some(copy) = input.and_then(|input| encoder.cells.entry_copy(input)) else {
            return Err(Refusal::Malformed("a contract that requires something of no input".to_owned()));
        };
        copies.insert(symbol, encoder.terms.symbol(encoder.cells.cells[copy].symbol, 0));
    }
    Ok(encoder.terms.substitute(formula, &copies))
}
