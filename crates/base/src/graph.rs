//! Graph algorithms over typed ids. None of them recurses on the host's stack.

use crate::{Id, IdMap, IdSet};

/// Strongly connected components in reverse topological order: callees before callers.
///
/// Paper: Tarjan, *Depth-first search and linear graph algorithms*, 1972; iterative form.
pub fn sccs<I: Id, S: AsRef<[I]>>(
    nodes: impl Iterator<Item = I>,
    successors: impl Fn(I) -> S,
) -> Vec<Vec<I>> {
    const UNSEEN: u32 = u32::MAX;
    let mut numbers: IdMap<I, u32> = IdMap::new(UNSEEN);
    let mut low: IdMap<I, u32> = IdMap::new(UNSEEN);
    let mut on_stack: IdSet<I> = IdSet::new();
    let (mut stack, mut result, mut next) = (Vec::new(), Vec::new(), 0u32);
    for start in nodes {
        if numbers[start] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(I, S, usize)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(node) = enter.take() {
                numbers[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack.insert(node);
                calls.push((node, successors(node), 0));
            }
            let Some((node, succs, at)) = calls.last_mut() else { break };
            let node = *node;
            if let Some(&succ) = succs.as_ref().get(*at) {
                *at += 1;
                if numbers[succ] == UNSEEN {
                    enter = Some(succ);
                } else if on_stack.contains(succ) {
                    low[node] = low[node].min(numbers[succ]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, ..)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == numbers[node] {
                let from = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                let mut component = stack.split_off(from);
                component.iter().for_each(|&n| {
                    on_stack.remove(n);
                });
                component.sort_unstable();
                result.push(component);
            }
        }
    }
    result
}

/// Everything reachable from `roots`, the roots included.
pub fn reachable<I: Id, S: AsRef<[I]>>(
    roots: impl IntoIterator<Item = I>,
    successors: impl Fn(I) -> S,
) -> IdSet<I> {
    let mut seen = IdSet::new();
    let mut work: Vec<I> = roots.into_iter().filter(|&r| seen.insert(r)).collect();
    while let Some(node) = work.pop() {
        work.extend(successors(node).as_ref().iter().copied().filter(|&s| seen.insert(s)));
    }
    seen
}

/// The nodes reachable from `root` in depth-first post-order.
pub fn post_order<I: Id, S: AsRef<[I]>>(root: I, successors: impl Fn(I) -> S) -> Vec<I> {
    let mut seen = IdSet::new();
    seen.insert(root);
    let (mut order, mut stack) = (Vec::new(), vec![(root, successors(root), 0)]);
    while let Some((node, succs, at)) = stack.last_mut() {
        match succs.as_ref().get(*at) {
            Some(&succ) => {
                *at += 1;
                if seen.insert(succ) {
                    stack.push((succ, successors(succ), 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(unreachable_pub, reason = "the macro makes public ids")]
    mod ids {
        crate::define_id! { V = "v"; }
    }
    use ids::V;

    fn graph(edges: &'static [(usize, usize)]) -> impl Fn(V) -> Vec<V> {
        move |v| edges.iter().filter(|e| e.0 == v.index()).map(|e| V::from_index(e.1)).collect()
    }

    #[test]
    fn components_come_callees_first() {
        let g = graph(&[(0, 1), (1, 2), (2, 1), (2, 3)]);
        let found = sccs((0..4).map(V::from_index), g);
        assert_eq!(format!("{found:?}"), "[[v3], [v1, v2], [v0]]");
    }

    #[test]
    fn a_chain_of_a_million_nodes_does_not_overflow_the_stack() {
        let n = 1_000_000;
        let next = |v: V| if v.index() + 1 < n { vec![V::from_index(v.index() + 1)] } else { vec![] };
        assert_eq!(sccs(std::iter::once(V::from_index(0)), next).len(), n);
        assert_eq!(post_order(V::from_index(0), next).len(), n);
        assert_eq!(reachable([V::from_index(0)], next).len(), n);
    }
}
