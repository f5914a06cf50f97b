//! How saved states name the things of a program, and how the names are read back. They are the names of
//! [`summa_cfa::names`], which mean the same in a program that was changed elsewhere. Unknown names are
//! refused.

use serde_json::{Value as Json, json};
use summa_c::tree::{FuncId, VarId};
use summa_cfa::{Cfa, EdgeId, NodeId};
use summa_cpa::Misfit;

/// What was wanted, and what is there instead.
pub(crate) fn misfit(wanted: &str, found: &Json) -> Misfit {
    let found: String = found.to_string().chars().take(80).collect();
    Misfit(format!("{wanted} is wanted, not {found}"))
}

pub(crate) fn list(saved: &Json) -> Result<&[Json], Misfit> {
    saved.as_array().map(|list| &list[..]).ok_or_else(|| misfit("a list", saved))
}

/// A list with exactly this many parts.
pub(crate) fn parts<const N: usize>(saved: &Json) -> Result<&[Json; N], Misfit> {
    list(saved)?.try_into().map_err(|_| misfit(&format!("a list of {N}"), saved))
}

pub(crate) fn count(saved: &Json) -> Result<u32, Misfit> {
    saved.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| misfit("a count", saved))
}

/// Numbers are text: JSON has none of this size.
pub(crate) fn number<N: std::str::FromStr>(saved: &Json) -> Result<N, Misfit> {
    saved.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| misfit("a number as text", saved))
}

/// The name of something together with a number in it.
fn within(saved: &Json) -> Result<(&str, u32), Misfit> {
    let [name, number] = parts(saved)?;
    Ok((text(name)?, count(number)?))
}

pub(crate) fn text(saved: &Json) -> Result<&str, Misfit> {
    saved.as_str().ok_or_else(|| misfit("a text", saved))
}

/// A location by its function and its number in it; the last one has a name, which it keeps when the function
/// changes.
pub(crate) fn node(cfa: &Cfa, node: NodeId) -> Json {
    let (function, number) = cfa.place_of_node(node);
    let is_exit = cfa.automaton(function).is_some_and(|automaton| automaton.exit == node);
    let number = if is_exit { json!(EXIT) } else { json!(number) };
    json!([cfa.names().function(function), number])
}

pub(crate) fn read_node(cfa: &Cfa, saved: &Json) -> Result<NodeId, Misfit> {
    let [function, number] = parts(saved)?;
    let function = read_function(cfa, function)?;
    let found = match number.as_str() {
        Some(EXIT) => cfa.automaton(function).map(|automaton| automaton.exit),
        _ => cfa.node_at(function, count(number)?),
    };
    found.ok_or_else(|| misfit("a location", saved))
}

const EXIT: &str = "exit";

pub(crate) fn edge(cfa: &Cfa, edge: EdgeId) -> Json {
    let (function, number) = cfa.place_of_edge(edge);
    json!([cfa.names().function(function), number])
}

pub(crate) fn read_edge(cfa: &Cfa, saved: &Json) -> Result<EdgeId, Misfit> {
    let (function, number) = within(saved)?;
    let found = cfa.names().find_function(function).and_then(|function| cfa.edge_at(function, number));
    found.ok_or_else(|| misfit("an edge", saved))
}

pub(crate) fn function(cfa: &Cfa, function: FuncId) -> Json {
    cfa.names().function(function).into()
}

pub(crate) fn read_function(cfa: &Cfa, saved: &Json) -> Result<FuncId, Misfit> {
    cfa.names().find_function(text(saved)?).ok_or_else(|| misfit("a function", saved))
}

pub(crate) fn variable(cfa: &Cfa, var: VarId) -> Json {
    cfa.names().variable(var).into()
}

pub(crate) fn read_variable(cfa: &Cfa, saved: &Json) -> Result<VarId, Misfit> {
    cfa.names().find_variable(text(saved)?).ok_or_else(|| misfit("a variable", saved))
}
