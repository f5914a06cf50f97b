//! `summa cfa`: the control-flow automata, as text, for Graphviz, or for programs.

use crate::args::{Format, ShowCfa};
use crate::console::Console;
use crate::diagnostics::place;
use crate::process::{Limits, OutputRight, within};
use crate::verdict::Exit;
use std::fmt::Write;
use std::time::Duration;
use summa_base::Budget;
use summa_c::Span;
use summa_c::tree::FuncId;
use summa_cfa::export::{Location, View, dot, json};
use summa_cfa::{Automaton, NodeKind};
use summa_verify::Automata;
use summa_verify::cells::with_cells;
use summa_verify::property::Property;

pub(crate) fn show(options: &ShowCfa, budget: Budget) -> Exit {
    let report = Console::new(false);
    let (word, budget) = (OutputRight::default(), within(&budget, options.time_limit, None));
    let limits = Limits::of(&budget, options.memory_limit, Duration::ZERO);
    word.watch(limits, Exit::Unknown, move |limit| {
        report.error(&format!("{}: there are no automata", limit.reason()));
    });
    let text = text_of(options, &report);
    word.take();
    match text {
        Ok(text) => {
            report.raw(text.as_bytes());
            Exit::Holds
        }
        Err(exit) => exit,
    }
}

/// The automata in the requested format. Errors have been reported.
fn text_of(options: &ShowCfa, report: &Console) -> Result<String, Exit> {
    let mut loaded = super::load(report, &options.source, options.entry.as_deref())?;
    if options.cells {
        match with_cells(&loaded, &Property::default_property()) {
            Ok(cells) => loaded = cells,
            Err(why) => {
                report.error(&why);
                return Err(Exit::BadInput);
            }
        }
    }
    let loaded = loaded;
    let chosen = match &options.function {
        None => None,
        Some(name) => {
            let named = find(&loaded, name);
            if named.is_empty() {
                report.error(&format!("no function with a body is called `{name}`"));
                return Err(Exit::BadInput);
            }
            Some(named)
        }
    };
    let chosen = chosen.as_deref();
    let locate = |span: Span| {
        let at = loaded.sources.locate(span);
        (!span.is_none() && !at.file.is_empty()).then(|| Location {
            file: at.file.to_owned(),
            line: at.line,
            column: at.column.unwrap_or(0),
        })
    };
    let loops = &loaded.facts().loops;
    let view = View { functions: chosen, is_loop_head: &|node| loops.is_head(node), locate: &locate };
    let text = match options.format {
        Format::Dot => dot::dot(&loaded.cfa, view),
        Format::Json => match json::json(&loaded.cfa, view) {
            Ok(text) => text + "\n",
            Err(error) => {
                report.error(&format!("cannot write JSON: {error}"));
                return Err(Exit::Internal);
            }
        },
        Format::Text => text(&loaded, chosen),
    };
    Ok(text)
}

/// All functions of this name: several files may each have a static one.
fn find(loaded: &Automata, name: &str) -> Vec<FuncId> {
    let all = loaded.cfa.defined().map(|automaton| automaton.function);
    all.filter(|&function| loaded.cfa.program.func_name(function) == name).collect()
}

/// One paragraph per function, one line per edge.
fn text(loaded: &Automata, chosen: Option<&[FuncId]>) -> String {
    let cfa = &loaded.cfa;
    let mut text = String::new();
    for automaton in
        cfa.defined().filter(|automaton| chosen.is_none_or(|list| list.contains(&automaton.function)))
    {
        let name = cfa.program.func_name(automaton.function);
        let at = place(&loaded.sources, cfa.program.functions[automaton.function].span);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} ({at}), from {} to {}", automaton.entry, automaton.exit);
        edges(loaded, automaton, &mut text);
        text.push('\n');
    }
    text
}

fn edges(loaded: &Automata, automaton: &Automaton, text: &mut String) {
    let cfa = &loaded.cfa;
    for id in automaton.edge_ids() {
        let edge = cfa.edge(id);
        let head = if cfa.nodes[edge.from].kind == NodeKind::LoopHead { " (loop)" } else { "" };
        let at = loaded.sources.locate(edge.span);
        let line = if edge.span.is_none() { String::new() } else { format!("line {}", at.line) };
        let from = format!("{}{head}", edge.from);
        let _ = writeln!(
            text,
            "  {from:>12} -> {:6} {line:>10}  {}",
            edge.to.to_string(),
            edge.op.text(&cfa.program)
        );
    }
}
