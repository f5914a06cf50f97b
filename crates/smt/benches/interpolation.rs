//! The interpolation suite, per source and for the chooser: problems solved within two seconds each, and
//! time.
//!
//! `cargo bench -p summa-smt --bench interpolation [-- FILTER]`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark reports by printing, and may stop where it stands"
)]

#[path = "../tests/suite/mod.rs"]
mod suite;

use std::time::{Duration, Instant};
use suite::Problem;
use summa_smt::interpolate::{ChooserOptions, Source};
use summa_smt::{Chooser, Family, Interpolator};
use summa_term::Terms;

const LIMIT: Duration = Duration::from_secs(2);

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    for (title, make) in [
        ("integers", suite::integers as fn(&mut Terms) -> Vec<Problem>),
        ("bit-vectors", suite::bit_vectors as fn(&mut Terms) -> Vec<Problem>),
    ] {
        let mut terms = Terms::new();
        let mut problems = make(&mut terms);
        problems.retain(|problem| problem.name.contains(&filter));
        println!("{title}: {} problems", problems.len());
        println!("  {:12} {:>6} {:>9} {:>9}", "source", "solved", "total", "slowest");
        use Source::{Filter, ModelBased, Post, Pre, Spacer};
        for source in [Spacer, Post, Pre, ModelBased] {
            run(&mut terms, &problems, &format!("{source:?}"), vec![source], !filter.is_empty());
        }
        run(&mut terms, &problems, "Filter", vec![Post, Pre, Filter], !filter.is_empty());
        run(&mut terms, &problems, "chooser", Source::ALL.to_vec(), true);
    }
}

fn run(terms: &mut Terms, problems: &[Problem], title: &str, sources: Vec<Source>, each: bool) {
    let family = Family::new().expect("Z3 makes a context");
    let options = ChooserOptions { budget: LIMIT, sources, ..ChooserOptions::default() };
    let mut chooser = Chooser::new(&family, options).expect("Z3 makes a solver");
    let (mut solved, mut total, mut slowest) = (0, Duration::ZERO, Duration::ZERO);
    let mut lines = Vec::new();
    for problem in problems {
        let start = Instant::now();
        let before = Source::ALL.map(|source| chooser.statistics(source).time);
        let result = chooser.tree(terms, &problem.tree);
        let time = start.elapsed();
        let times: Vec<String> = Source::ALL
            .into_iter()
            .zip(before)
            .map(|(source, before)| (source, chooser.statistics(source).time - before))
            .filter(|(_, time)| *time > Duration::from_millis(1))
            .map(|(source, time)| format!("{source:?} {:.3}", time.as_secs_f64()))
            .collect();
        total += time;
        slowest = slowest.max(time);
        let in_time = result.is_ok() && time <= LIMIT + Duration::from_millis(100);
        solved += usize::from(in_time);
        let (shown, source) = match &result {
            Ok(interpolants) => {
                let middle = interpolants[problem.tree.nodes().len() / 2];
                let text: String = summa_term::smtlib::print(terms, middle).chars().take(90).collect();
                (text, chooser.last_source().map_or(String::new(), |source| format!("{source:?}")))
            }
            Err(failure) => (format!("{failure:?}"), "-".into()),
        };
        let time = time.as_secs_f64();
        lines.push(format!(
            "      {:30} {time:7.3} s {source:10} {shown}  [{}]",
            problem.name,
            times.join(", ")
        ));
    }
    let (total, slowest) = (total.as_secs_f64(), slowest.as_secs_f64());
    println!("  {title:12} {solved:6} {total:7.2} s {slowest:7.2} s");
    if each {
        lines.iter().for_each(|line| println!("{line}"));
    }
}
