//! Rounds of loops and of recursion in a list of steps. Where the same steps repeat, the first and the last
//! round are shown and the others counted. Repeats within repeats are found from the inside out.

use summa_cfa::EdgeId;

/// Steps of a round at most.
const MAX_PERIOD: usize = 48;
/// Fewer rounds than these are shown as they are.
const MIN_ROUNDS: usize = 3;
/// How deeply repeats may be nested.
const LEVELS: usize = 3;

/// An item of the shortened list of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// By its position in the list.
    Step(usize),
    /// Rounds that are not shown; the first of them begins at `from`.
    Hidden { rounds: usize, from: usize },
}

#[derive(Clone, Debug)]
struct Part {
    /// Parts with equal keys are shown alike.
    key: u64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Step(usize),
    Rounds { first: Vec<Part>, hidden: usize, from: usize, last: Vec<Part> },
}

/// The list with its rounds collapsed.
pub(crate) fn collapse(steps: &[EdgeId]) -> Vec<Item> {
    use summa_base::Id;
    let part =
        |(position, edge): (usize, &EdgeId)| Part { key: edge.index() as u64, what: What::Step(position) };
    let mut parts: Vec<Part> = steps.iter().enumerate().map(part).collect();
    for _ in 0..LEVELS {
        let before = parts.len();
        parts = once(parts);
        if parts.len() == before {
            break;
        }
    }
    flatten(parts)
}

/// First round, count, last round.
fn flatten(parts: Vec<Part>) -> Vec<Item> {
    enum Todo {
        Part(Part),
        Item(Item),
    }
    let mut items = Vec::new();
    let mut todo: Vec<Todo> = parts.into_iter().rev().map(Todo::Part).collect();
    while let Some(next) = todo.pop() {
        match next {
            Todo::Item(item) => items.push(item),
            Todo::Part(Part { what: What::Step(position), .. }) => items.push(Item::Step(position)),
            Todo::Part(Part { what: What::Rounds { first, hidden, from, last }, .. }) => {
                todo.extend(last.into_iter().rev().map(Todo::Part));
                todo.push(Todo::Item(Item::Hidden { rounds: hidden, from }));
                todo.extend(first.into_iter().rev().map(Todo::Part));
            }
        }
    }
    items
}

/// The innermost repeats become one part each.
fn once(parts: Vec<Part>) -> Vec<Part> {
    let keys: Vec<u64> = parts.iter().map(|part| part.key).collect();
    let mut result = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        match repeat_at(&keys[at..]) {
            None => {
                result.push(parts[at].clone());
                at += 1;
            }
            Some((period, rounds)) => {
                let last = at + (rounds - 1) * period;
                let key = keys[at..at + period].iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, key| {
                    (hash ^ key).wrapping_mul(0x0000_0100_0000_01b3)
                });
                result.push(Part {
                    key: key | 1 << 63,
                    what: What::Rounds {
                        first: parts[at..at + period].to_vec(),
                        hidden: rounds - 2,
                        from: first_step(&parts[at + period]),
                        last: parts[last..last + period].to_vec(),
                    },
                });
                at = last + period;
            }
        }
    }
    result
}

/// The smallest period with which the list begins, and how many rounds there are of it.
fn repeat_at(keys: &[u64]) -> Option<(usize, usize)> {
    (1..=MAX_PERIOD.min(keys.len() / MIN_ROUNDS)).find_map(|period| {
        let round = &keys[..period];
        let rounds = keys.chunks_exact(period).take_while(|other| *other == round).count();
        (rounds >= MIN_ROUNDS).then_some((period, rounds))
    })
}

fn first_step(part: &Part) -> usize {
    match part.what {
        What::Step(position) => position,
        What::Rounds { from, .. } => from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_base::Id;

    fn show(steps: &str) -> String {
        let edges: Vec<EdgeId> = steps.bytes().map(|byte| EdgeId::from_index(byte as usize)).collect();
        let text = |item: &Item| match item {
            Item::Step(position) => steps[*position..=*position].to_owned(),
            Item::Hidden { rounds, .. } => format!("<{rounds}>"),
        };
        collapse(&edges).iter().map(text).collect()
    }

    #[test]
    fn rounds_are_counted() {
        assert_eq!(show("abc"), "abc");
        assert_eq!(show("xababy"), "xababy", "two rounds are shown");
        assert_eq!(show("xababababy"), "xab<2>aby");
        assert_eq!(show("aaaaaaa"), "a<5>a");
    }

    #[test]
    fn rounds_within_rounds() {
        assert_eq!(show("ibbbbjibbbjibbbbbjx"), "ib<2>bj<1>ib<3>bjx");
        assert_eq!(show(""), "");
    }

    #[test]
    fn long_lists_are_quick() {
        assert_eq!(show(&"abcde".repeat(20_000)).len(), "abcde<19998>abcde".len());
    }
}
