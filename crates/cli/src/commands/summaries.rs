//! `summa summaries`: what each function needs and does, as contracts.

use crate::args::{ShowSummaries, TextFormat};
use crate::console::count;
use crate::diagnostics::place;
use crate::engine_run::{Asked, EngineRun};
use crate::verdict::{Exit, Verdict};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use summa_base::Budget;
use summa_c::tree::FuncId;
use summa_cfa::EdgeId;
use summa_engines::{Clause, Config, Contract, Reason, Task};
use summa_verify::Automata;
use summa_verify::engine::{self, Answer};

pub(crate) fn show(options: &ShowSummaries, budget: Budget) -> Exit {
    let asked = Asked { config: &options.config, options: &options.engine, wanted: "there are no contracts" };
    let summarises = |config: &Config| match config.bam {
        Some(_) => Ok(()),
        None => {
            Err(format!("`{}` summarises nothing: use a configuration with a section [bam]", config.name))
        }
    };
    let run = match EngineRun::begin(&asked, budget, summarises) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    let EngineRun { report, config, job, loaded, budget, word } = run;
    let property = &job.specification.property;
    let only = match &options.only {
        None => None,
        Some(name) => match loaded.cfa.program.find_function(name) {
            Some(function) => Some(function),
            None => {
                report.error(&format!("the program has no function `{name}`"));
                return Exit::Usage;
            }
        },
    };
    let is_error = |edge: EdgeId| property.is_violated_at(&loaded.cfa, edge);
    let task = Task::new(&loaded.cfa, loaded.facts(), budget, &is_error);
    let task = Task { contracts: true, ..task };
    let ran = engine::run(&task, &config, property);
    word.take();
    let verdict = match &ran.tried.answer {
        Answer::Safe(_) => Verdict::True,
        Answer::Violation(violation) => Verdict::False(violation.property.clone()),
        Answer::Doubtful(doubtful) => Verdict::Unknown(format!("possible violation, but {}", doubtful.why)),
        // Only where several engines or executions were asked.
        Answer::Contradicted(_) => Verdict::Internal("an execution contradicts the proof".to_owned()),
        Answer::Unknown(Reason::Bug(what)) => Verdict::Internal(what.clone()),
        Answer::Unknown(_) if word.is_out_of_memory() => Verdict::Unknown("memory limit".to_owned()),
        Answer::Unknown(reason) => Verdict::Unknown(reason.to_string()),
    };
    let is_wanted = |contract: &&Contract| only.is_none_or(|function| contract.function == function);
    let wanted: Vec<&Contract> = ran.contracts.iter().filter(is_wanted).collect();
    let text = match options.format {
        TextFormat::Text => text(&loaded, &wanted),
        TextFormat::Json => as_json(&loaded, &wanted, &verdict),
    };
    report.raw(text.as_bytes());
    let incomplete = wanted.iter().filter(|contract| !contract.is_complete).count();
    report.note(&format!("{}, {incomplete} of them incomplete", count(wanted.len(), "contract")));
    report.note(&format!("Verdict: {verdict}"));
    if wanted.is_empty() { Exit::Unknown } else { Exit::Holds }
}

/// ACSL: the contracts of a function stand before its declaration.
fn text(loaded: &Automata, contracts: &[&Contract]) -> String {
    let mut out = String::new();
    for group in contracts.chunk_by(|a, b| a.function == b.function) {
        out.push_str(if out.is_empty() { "" } else { "\n" });
        for contract in group {
            write_contract(&mut out, loaded, contract);
        }
        if let Some(contract) = group.first() {
            let _ = writeln!(out, "{};", signature(loaded, contract.function));
        }
    }
    out
}

fn write_contract(out: &mut String, loaded: &Automata, contract: &Contract) {
    let calls: Vec<String> = contract.calls.iter().map(|&call| call_text(loaded, call)).collect();
    out.push_str("/*@ ");
    if !contract.is_complete {
        out.push_str("// incomplete: more may happen than is said here\n    ");
    }
    if contract.is_complete && !contract.is_safe {
        out.push_str("// an error may be reached from here\n    ");
    }
    let _ = writeln!(out, "// used by {}", calls.join(", "));
    write_clause(out, "requires", &[all_of(&contract.requires, false)]);
    let is_one_of = contract.ensures.len() > 1;
    let exits: Vec<Said> = contract.ensures.iter().map(|exit| all_of(exit, is_one_of)).collect();
    let never = Said { text: "\\false".to_owned(), others: Vec::new() };
    write_clause(out, "ensures", if exits.is_empty() { std::slice::from_ref(&never) } else { &exits });
    out.push_str("*/\n");
}

/// A conjunction, and its parts without a C expression.
struct Said {
    text: String,
    others: Vec<String>,
}

fn all_of(clauses: &[Clause], in_parentheses: bool) -> Said {
    let (mut said, mut others) = (Vec::new(), Vec::new());
    for clause in clauses {
        match clause {
            Clause::C(text) => said.push(text.clone()),
            // Comments to the end of the line: others do not nest.
            Clause::Other(words) => others.push(words.replace("*/", "* /").replace(['\n', '\r'], " ")),
        }
    }
    let text = if said.is_empty() { "\\true".to_owned() } else { said.join(" && ") };
    Said { text: if said.len() > 1 && in_parentheses { format!("({text})") } else { text }, others }
}

/// One of these holds.
fn write_clause(out: &mut String, keyword: &str, cases: &[Said]) {
    let _ = write!(out, "    {keyword} ");
    for (index, case) in cases.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "\n         || " });
        out.push_str(&case.text);
        for other in &case.others {
            let _ = write!(out, "\n         // and: {other}");
        }
    }
    let ends_in_comment = cases.last().is_some_and(|case| !case.others.is_empty());
    out.push_str(if ends_in_comment { "\n    ;\n" } else { ";\n" });
}

/// `main (bank.c:12)`
fn call_text(loaded: &Automata, call: EdgeId) -> String {
    let edge = loaded.cfa.edge(call);
    let function = loaded.cfa.nodes[edge.from].function;
    if function == loaded.cfa.start {
        return "the start of the program".to_owned();
    }
    format!("{} ({})", loaded.cfa.program.func_name(function), place(&loaded.sources, edge.span))
}

fn signature(loaded: &Automata, function: FuncId) -> String {
    let program = &loaded.cfa.program;
    let info = &program.functions[function];
    let param = |var: &summa_c::tree::VarId| {
        program.types.declare(program.vars[*var].ty, program.var_name(*var), &program.names)
    };
    let mut params: Vec<String> = info.params.iter().map(param).collect();
    let ty = program.types.function_type(info.ty);
    if ty.is_some_and(|ty| ty.is_variadic) {
        params.push("...".to_owned());
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let declarator = format!("{}({params})", program.func_name(function));
    let result = ty.map_or(program.types.void, |ty| ty.result);
    program.types.declare(result, &declarator, &program.names)
}

fn as_json(loaded: &Automata, contracts: &[&Contract], verdict: &Verdict) -> String {
    let clause = |clause: &Clause| match clause {
        Clause::C(text) => json!({ "c": text }),
        Clause::Other(words) => json!({ "other": words }),
    };
    let clauses = |all: &[Clause]| -> Json { all.iter().map(clause).collect() };
    let call = |&call: &EdgeId| {
        let edge = loaded.cfa.edge(call);
        let caller = loaded.cfa.program.func_name(loaded.cfa.nodes[edge.from].function);
        let location = loaded.sources.locate(edge.span);
        json!({ "caller": caller, "file": location.file, "line": location.line })
    };
    let functions: Json = contracts
        .chunk_by(|a, b| a.function == b.function)
        .filter_map(|group| Some((group.first()?.function, group)))
        .map(|(function, group)| {
            let summaries: Json = group
                .iter()
                .map(|contract| {
                    json!({
                        "requires": clauses(&contract.requires),
                        "ensures": contract.ensures.iter().map(|exit| clauses(exit)).collect::<Json>(),
                        "complete": contract.is_complete,
                        "safe": contract.is_safe,
                        "calls": contract.calls.iter().map(call).collect::<Json>(),
                    })
                })
                .collect();
            json!({
                "function": loaded.cfa.program.func_name(function),
                "signature": signature(loaded, function),
                "contracts": summaries,
            })
        })
        .collect();
    let all = json!({ "verdict": verdict.to_string(), "functions": functions });
    // Maps with text as keys are always JSON.
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}
