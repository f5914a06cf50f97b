//! Record mode: every query is written as an SMT-LIB script, so that it can be given to any solver, and slow
//! ones can be studied.

use crate::model::Model;
use crate::solver::{Answer, Limits, Solver, Statistics};
use std::path::{Path, PathBuf};
use summa_term::{Term, Terms, smtlib};

/// A solver whose checks are also written to a folder, as `000001-sat.smt2` and so on.
pub struct Recorder<S> {
    solver: S,
    folder: PathBuf,
    scopes: Vec<Vec<Term>>,
    written: u64,
    failed_writes: u64,
}

impl<S: Solver> Recorder<S> {
    /// # Errors
    /// The folder cannot be made.
    pub fn new(solver: S, folder: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        Ok(Self {
            solver,
            folder: folder.to_path_buf(),
            scopes: vec![Vec::new()],
            written: 0,
            failed_writes: 0,
        })
    }

    /// Queries that could not be written, for example because the disk is full. They are answered
    /// nevertheless.
    pub fn failed_writes(&self) -> u64 {
        self.failed_writes
    }

    fn write(&mut self, terms: &Terms, assumptions: &[Term], answer: &Answer) {
        let formulas: Vec<Term> = self.scopes.iter().flatten().chain(assumptions).copied().collect();
        let status = match answer {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        };
        self.written += 1;
        let path = self.folder.join(format!("{:06}-{status}.smt2", self.written));
        let text = format!("(set-info :status {status})\n{}", smtlib::script(terms, &formulas));
        if std::fs::write(path, text).is_err() {
            self.failed_writes += 1;
        }
    }
}

impl<S: Solver> Solver for Recorder<S> {
    fn push(&mut self) {
        self.scopes.push(Vec::new());
        self.solver.push();
    }

    fn pop(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
        self.solver.pop();
    }

    fn level(&self) -> usize {
        self.solver.level()
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(formula);
        }
        self.solver.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term]) -> Answer {
        let answer = self.solver.check(terms, assumptions);
        self.write(terms, assumptions, &answer);
        answer
    }

    fn model(&mut self, terms: &mut Terms) -> Option<Model> {
        self.solver.model(terms)
    }

    fn unsat_core(&mut self) -> Vec<Term> {
        self.solver.unsat_core()
    }

    fn set_limits(&mut self, limits: Limits) {
        self.solver.set_limits(limits);
    }

    fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }
}
