//! Every task of the benchmark set becomes automata that verify. The set is found through `SUMMA_TASKS` or
//! beside the workspace; without it there is nothing to test. `SUMMA_TASKS_STEP=1` takes all tasks instead of
//! every tenth.

use summa_c::load::{LoadOptions, load};
use summa_cfa::{BuildOptions, Op};
use summa_testkit::{KNOBS, Task, tasks};
use summa_transform::build;

#[test]
fn tasks_become_automata() {
    let Some(mut tasks) = tasks() else { return };
    // A program with several properties is there several times.
    tasks.dedup_by(|one, other| one.path == other.path && one.model == other.model);
    let step = KNOBS.tasks_step.or(10) as usize;
    let (mut edges, mut unread, mut broken) = (0, Vec::new(), Vec::new());
    for Task { path, model, .. } in tasks.iter().step_by(step) {
        let input = path.display();
        let loaded = match load(std::slice::from_ref(path), &LoadOptions::new(*model)) {
            Ok(loaded) => loaded,
            Err(failure) => {
                let message = failure.diagnostics.first().map_or(String::new(), |d| d.message.clone());
                unread.push(format!("{input}: {message}"));
                continue;
            }
        };
        match build(loaded.program, &BuildOptions::default()) {
            Ok(cfa) => {
                edges += cfa.edges.len();
                for edge in cfa.edges.values() {
                    if let Op::Unsupported { what } = &edge.op {
                        eprintln!("{input}: unsupported: {what}");
                    }
                    edge.op.text(&cfa.program);
                }
            }
            Err(error) => broken.push(format!("{input}: {error}")),
        }
    }
    eprintln!("{} tasks, {edges} edges, {} unread", tasks.len().div_ceil(step), unread.len());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(unread.is_empty(), "{}", unread.join("\n"));
}
