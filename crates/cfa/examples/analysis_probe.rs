use summa_c::types::DataModel;
use std::time::Instant;
fn main() {
    let root = std::path::Path::new("/work/shared/bench/public");
    let manifest = std::fs::read_to_string(root.join("manifest.csv")).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for row in manifest.lines().skip(1) {
        let c: Vec<&str> = row.split(',').collect();
        if !seen.insert(c[1].to_string()) { continue; }
        let model = if c[5] == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        let t0 = Instant::now();
        let Ok(loaded) = summa_c::load(&[root.join(c[1])], &summa_c::LoadOptions::new(model)) else { println!("LOADFAIL {}", c[1]); continue };
        let Ok(cfa) = summa_cfa::build(loaded.program, &summa_cfa::BuildOptions::default()) else { println!("BUILDFAIL {}", c[1]); continue };
        let t1 = Instant::now();
        let a = summa_cfa::analysis::Analyses::new(&cfa);
        let t2 = Instant::now();
        let b = a.blocks(&cfa, summa_cfa::analysis::blocks::Partition::FunctionsAndLoops);
        let t3 = Instant::now();
        let pt = &a.points_to;
        let pointed: Vec<_> = pt.classes().filter(|&c| pt.is_pointed_to(c)).collect();
        let coll = pointed.iter().filter(|&&c| pt.is_collapsed(c)).count();
        let unk = pt.variables(pt.unknown()).len();
        println!("{} nodes {} edges {} vars {} | load {:?} analyses {:?} blocks {:?} | classes {} pointed {} collapsed {} unknownvars {} addrtaken {} relevant {} bool {} eq {} add {} counters {} reach {} blocks {}",
            c[1], cfa.nodes.len(), cfa.edges.len(), cfa.program.vars.len(), t1-t0, t2-t1, t3-t2, pt.classes().len(), pointed.len(), coll, unk, a.variables.address_taken.len(), a.relevance.variables.len(),
            a.variables.boolean_only.len(), a.variables.equality_only.len(), a.variables.add_only.len(), a.variables.loop_counters.len(), cfa.nodes.ids().filter(|&n| a.reach.can_reach(n)).count(), b.blocks.len());
    }
}
