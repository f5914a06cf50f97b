//! A new domain is one file and one registration: the parity domain (`parity.rs`), which no crate knows, runs
//! in a product and with summaries; its proofs are confirmed, its contracts printed, its states saved, and
//! configurations have a section for it.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

mod parity;

use parity::ParityDomain;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_cpa::{Cpa, Portable};
use summa_domains::registry::{Registration, Registry};
use summa_engines::assemble::assemble;
use summa_engines::config::explain::explain;
use summa_engines::{Claim, Clause, Config, Outcome, Report, Task, run};
use summa_facts::Analyses;
use summa_proof::check;
use summa_testkit::automata;

/// The registration.
const PARITY: Registration = summa_domains::registration!(ParityDomain);

fn registry() -> Registry {
    Registry::default().with(PARITY)
}

fn config(domains: &str, sections: &str) -> Config {
    let text = format!(
        "description = \"parity\"\nalgorithm = \"reachability\"\nwaitlist = [\"unrolled\"]\n\
         domains = [\"location\", \"callstack\", \"specification\", {domains}]\n{sections}"
    );
    Config::parse_with("mine.toml", &text, &registry()).unwrap_or_else(|error| panic!("{error}"))
}

/// No other domain of these tests knows that `sum` is even.
const LOOP: &str = "
    static int twice(int x) { return 2 * x; }
    int main(void) {
        int sum = 0;
        while (__VERIFIER_nondet_int()) { sum = sum + twice(__VERIFIER_nondet_int()); }
        if (sum == 7) reach_error();
        return 0;
    }";

const RECURSION: &str = "
    static int pairs(int n) { if (n <= 0) return 0; return pairs(n - 1) + 2; }
    int main(void) {
        if (pairs(__VERIFIER_nondet_int()) == 1) reach_error();
        return 0;
    }";

/// Signs know that `a` is positive, parities that `b` is odd.
const BOTH: &str = "
    int main(void) {
        int a = __VERIFIER_nondet_int(), b = 1;
        if (a <= 0) return 0;
        while (__VERIFIER_nondet_int()) { b = b + 2; if (a < 0) reach_error(); }
        if (b == 4) reach_error();
        return 0;
    }";

fn program(text: &str) -> Cfa {
    automata(&format!("extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n{text}"))
}

fn with_report<R>(config: &Config, text: &str, look: impl FnOnce(&Cfa, &Analyses, Report<'_>) -> R) -> R {
    let cfa = program(text);
    let facts = Analyses::new(&cfa);
    let mut task = Task::new(&cfa, &facts, Budget::with_time(Duration::from_secs(20)), &is_any);
    task.contracts = config.bam.is_some();
    let report = run(config, &task, &mut |_| false);
    look(&cfa, &facts, report)
}

fn is_any(_: EdgeId) -> bool {
    true
}

/// Is it claimed, with a proof that the checker confirms?
fn is_proved(config: &Config, text: &str) -> bool {
    with_report(config, text, |cfa, facts, report| match report.outcome {
        Outcome::Claimed(Claim { proof, .. }) => {
            let proof = proof.unwrap_or_else(|why| panic!("no proof: {why}"));
            let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
            let budget = Budget::with_time(Duration::from_secs(20));
            check(cfa, facts, &is_error, &proof, &budget).unwrap_or_else(|refusal| panic!("{refusal}"));
            true
        }
        Outcome::Error { .. } => panic!("there is no error"),
        Outcome::Unknown { .. } => false,
    })
}

const BAM: &str = "[bam]\nblocks = \"functions\"\n";

#[test]
fn it_runs_in_a_product() {
    assert!(is_proved(&config("\"parity\"", ""), LOOP));
    assert!(!is_proved(&config("\"sign\"", ""), LOOP), "signs do not know");
    for domains in ["\"sign\", \"parity\"", "\"parity\", \"sign\""] {
        assert!(is_proved(&config(domains, ""), BOTH), "{domains}");
    }
    assert!(!is_proved(&config("\"sign\"", ""), BOTH), "signs do not know");
    assert!(!is_proved(&config("\"parity\"", ""), BOTH), "parities do not know");
}

#[test]
fn it_runs_with_summaries() {
    for text in [LOOP, RECURSION] {
        assert!(is_proved(&config("\"parity\", \"sign\"", BAM), text), "{text}");
        assert!(!is_proved(&config("\"sign\"", BAM), text), "{text}: signs do not know");
    }
    // What it says of `twice` is a contract.
    with_report(&config("\"parity\"", BAM), LOOP, |cfa, _, report| {
        let twice = report.contracts.iter().find(|one| cfa.program.func_name(one.function) == "twice");
        assert_eq!(twice.unwrap().ensures, [vec![Clause::C("\\result % 2 == 0".to_owned())]]);
    });
}

/// With refinement of another component, which knows nothing of parities.
#[test]
fn it_runs_beside_refinement() {
    let mut refined = config("\"value\", \"parity\"", "[value]\nprecision = \"all\"\n");
    refined.set("value", "precision", "refined").unwrap();
    refined.algorithm = summa_engines::config::Algorithm::Cegar;
    assert!(is_proved(&refined, LOOP));
}

#[test]
fn its_states_come_back() {
    let config = config("\"interval\", \"parity\"", "");
    let cfa = program(LOOP);
    let facts = Analyses::new(&cfa);
    let task = Task::new(&cfa, &facts, Budget::with_time(Duration::from_secs(20)), &is_any);
    let graph = run(&config, &task, &mut |_| false).graph.unwrap();
    let mut other = assemble(&config, &task).unwrap_or_else(|reason| panic!("{reason}")).product;
    let mut told = 0;
    for id in graph.reached.reached() {
        let node = &graph.reached.nodes[id];
        let back = other.load(&graph.product.save(&node.state).unwrap()).unwrap();
        assert!(other.stop(&node.state, &back, &node.precision).unwrap());
        assert!(other.stop(&back, &node.state, &node.precision).unwrap());
        told += usize::from(other.show(&back).contains("sum even"));
    }
    assert!(told > 0);
}

#[test]
fn configurations_know_it() {
    let explained = explain(&config("\"parity\"", "[parity]\nwiden-after = 3\n"));
    let line = "parity: which integers are even, and which are odd; widened after 3 merges; merge join";
    assert!(explained.contains(line), "{explained}");
    let text = "description = \"x\"\nalgorithm = \"reachability\"\n\
                domains = [\"location\", \"callstack\", \"specification\", \"parity\"]\n";
    let error = Config::parse("mine.toml", text).unwrap_err().to_string();
    assert!(error.starts_with("mine.toml:3: unknown word `parity`"), "{error}");
    let wrong = format!("{text}[parity]\nwiden = 3\n");
    let error = Config::parse_with("mine.toml", &wrong, &registry()).unwrap_err().to_string();
    assert!(error.starts_with("mine.toml:5: unknown key `widen`"), "{error}");
}
