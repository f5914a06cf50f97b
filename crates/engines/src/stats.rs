//! What an engine did: calls of operators for each domain, questions to the solver, and other counts.

use std::time::Duration;
use summa_cpa::{Operator, Product, Uses};
use summa_domains::Domain;
use summa_domains::says::Says;
use summa_smt::Statistics;

#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// The uses of each component's operators, by the name of the domain.
    pub components: Vec<(&'static str, Uses)>,
    /// Questions to solvers, by who asked.
    pub solvers: Vec<(&'static str, Statistics)>,
    /// Anything else that counts.
    pub counts: Vec<(String, u64)>,
}

impl Stats {
    /// What the components of a product did.
    pub(crate) fn of(product: &Product<Domain<'_>>) -> Self {
        let names = product.components.iter().map(|component| component.name());
        let mut stats =
            Self { components: names.zip(product.uses.iter().cloned()).collect(), ..Self::default() };
        for component in &product.components {
            stats.solvers.extend(component.solver_statistics().map(|solver| (component.name(), solver)));
            stats.counts.extend(component.counts().into_iter().map(|(name, count)| (name.to_owned(), count)));
        }
        stats
    }

    /// `Name: value` pairs, which benchmark tools turn into columns.
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        for (domain, uses) in &self.components {
            for operator in Operator::ALL {
                let (count, time) = uses.of(operator);
                if count > 0 {
                    lines.push((format!("{domain} {}", operator.name()), use_text(count, time)));
                }
            }
        }
        for (who, solver) in &self.solvers {
            lines.push((format!("Solver calls ({who})"), use_text(solver.checks, solver.time)));
            let answers = format!("{} sat, {} unsat, {} unknown", solver.sat, solver.unsat, solver.unknown);
            lines.push((format!("Solver answers ({who})"), answers));
            let avoided = solver.avoided_trivial + solver.avoided_cached + solver.avoided_by_model;
            if avoided > 0 {
                lines.push((format!("Solver calls avoided ({who})"), avoided.to_string()));
            }
        }
        lines.extend(self.counts.iter().map(|(name, count)| (name.clone(), count.to_string())));
        lines
    }

    /// Takes over what another engine counted.
    pub fn add(&mut self, other: Stats) {
        self.components.extend(other.components);
        self.solvers.extend(other.solvers);
        self.counts.extend(other.counts);
    }
}

fn use_text(count: u64, time: Duration) -> String {
    format!("{count} ({:.3} ms)", time.as_secs_f64() * 1000.0)
}
