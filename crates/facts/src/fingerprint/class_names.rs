//! Names of classes of memory that mean the same in a program that was changed elsewhere.

use crate::Analyses;
use crate::points_to::ClassId;
use summa_base::{FxHashSet, Id, IdMap};
use summa_cfa::Cfa;

/// How names begin that are numbers of this program, and so mean nothing in another one.
pub const COUNTED: &str = "class ";

/// A unique name for each class: after its contents, else after a class whose values point to it, or after
/// another part of the same objects. The remaining classes are counted ([`COUNTED`]).
pub fn class_names(cfa: &Cfa, facts: &Analyses) -> IdMap<ClassId, String> {
    let points_to = &facts.points_to;
    let names = cfa.names();
    let mut found = IdMap::with_len(points_to.classes().len(), String::new());
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut todo: Vec<ClassId> = Vec::new();
    for class in points_to.classes() {
        let offset = points_to.offset_of(class);
        let variable = points_to.variables(class).iter().map(|&var| names.variable(var)).min();
        let site = || {
            let sites = points_to.allocations(class).iter().map(|&edge| cfa.place_of_edge(edge));
            sites.map(|(function, number)| (names.function(function), number)).min()
        };
        let function = || points_to.functions(class).iter().map(|&function| names.function(function)).min();
        let name = if points_to.is_unknown(class) {
            "unknown".to_owned()
        } else if let Some(variable) = variable {
            format!("{variable}@{offset}")
        } else if let Some((function, number)) = site() {
            format!("new {function} {number}@{offset}")
        } else if let Some(function) = function() {
            format!("code {function}")
        } else {
            continue;
        };
        if taken.insert(name.clone()) {
            found[class] = name;
            todo.push(class);
        }
    }
    todo.sort_by_key(|&class| found[class].clone());
    let mut next = 0;
    while let Some(&class) = todo.get(next) {
        next += 1;
        let content = points_to.content(class).map(|content| (content, format!("*{}", found[class])));
        let parts = points_to.siblings(class).iter();
        let parts: Vec<(ClassId, String)> =
            parts.map(|&part| (part, format!("{}+{}", found[class], points_to.offset_of(part)))).collect();
        for (other, name) in content.into_iter().chain(parts) {
            if found[other].is_empty() && taken.insert(name.clone()) {
                found[other] = name;
                todo.push(other);
            }
        }
    }
    for class in points_to.classes() {
        if found[class].is_empty() {
            found[class] = format!("{COUNTED}{}", class.index());
        }
    }
    found
}
