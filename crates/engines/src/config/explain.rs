//! A configuration as a tree, for `--explain-config`.

use super::{Abstraction, WaitlistLayer};
use super::{
    Algorithm, BlockOperator, Config, DomainName, InvariantSource, Merge, PredicateRefinement, ValuePrecision,
};

/// A line of the tree with what is below it.
struct Node {
    text: String,
    below: Vec<Node>,
}

impl Node {
    fn new(text: impl Into<String>, below: Vec<Self>) -> Self {
        Self { text: text.into(), below }
    }

    fn leaf(text: impl Into<String>) -> Self {
        Self::new(text, Vec::new())
    }

    fn draw(&self, indent: &str, out: &mut String) {
        out.push_str(&self.text);
        out.push('\n');
        for (index, child) in self.below.iter().enumerate() {
            let is_last = index + 1 == self.below.len();
            out.push_str(indent);
            out.push_str(if is_last { "└─ " } else { "├─ " });
            let indent = format!("{indent}{}", if is_last { "   " } else { "│  " });
            child.draw(&indent, out);
        }
    }
}

/// The tree, line by line.
pub fn explain(config: &Config) -> String {
    let mut out = format!("{}: {}\n\n", config.name, config.description);
    tree(config).draw("", &mut out);
    out
}

fn tree(config: &Config) -> Node {
    let encoding = Node::leaf(format!("formulas: {}", encoding(config)));
    match config.algorithm {
        Algorithm::Bmc => Node::new(
            "bounded model checking: the program unrolled into one formula",
            vec![
                Node::leaf(bounds(config)),
                Node::leaf("ends when nothing is cut off (forward condition)"),
                encoding,
            ],
        ),
        Algorithm::KInduction => {
            let source = config.k_induction.as_ref().map_or(InvariantSource::default(), |k| k.invariants);
            let invariants = match source {
                InvariantSource::None => "invariants: none",
                InvariantSource::Interval => "invariants: intervals, refined beside",
                InvariantSource::Lemmas => {
                    "invariants: intervals, refined beside; equations and relations that are inductive \
                     together"
                }
            };
            Node::new(
                "k-induction: base case, forward condition, step case",
                vec![Node::leaf(bounds(config)), Node::leaf(invariants), encoding],
            )
        }
        Algorithm::Reachability => {
            let mut below = vec![explore(config)];
            if config.domains.contains(&DomainName::LoopBound) {
                below.push(Node::leaf(format!("again with {}, until nothing is cut off", bounds(config))));
            }
            below.push(Node::leaf("errors that are found: checked as a path formula, replayed"));
            below.push(encoding);
            Node::new("reachability: one exploration", below)
        }
        Algorithm::Cegar => Node::new(
            "cegar: exploration and refinement in turn",
            vec![explore(config), refine(config), encoding],
        ),
    }
}

fn explore(config: &Config) -> Node {
    let layers: Vec<&str> = config.waitlist.iter().map(|layer| layer_text(*layer)).collect();
    let order = if layers.is_empty() { "oldest states first".to_owned() } else { layers.join(", then ") };
    let components = config.domains.iter().map(|&domain| Node::leaf(component(config, domain))).collect();
    let mut below = vec![Node::new("product", components)];
    below.extend(summaries(config));
    if !config.reductions.is_empty() {
        let reductions = config.reductions.iter().map(|reduction| reduction.named());
        let reductions = reductions.map(|named| Node::leaf(format!("{}: {}", named.name, named.what)));
        below.push(Node::new("reductions after each transfer", reductions.collect()));
    }
    Node::new(format!("explore: CPA++, {order}"), below)
}

/// Block-abstraction memoization.
fn summaries(config: &Config) -> Option<Node> {
    let bam = config.bam.as_ref()?;
    let mut below = vec![if bam.recursion {
        Node::leaf("for every caller; recursion: a fixed point of summaries")
    } else {
        Node::leaf("for one call stack each; recursion: not supported")
    }];
    if bam.recursion {
        below.push(Node::leaf(format!("widened behind {} nested entries", bam.widen_after)));
    }
    if bam.borrow {
        below.push(Node::leaf("those of weaker entries are used until they are too weak"));
    }
    Some(Node::new(format!("summaries of {}", bam.blocks.name()), below))
}

fn refine(config: &Config) -> Node {
    let mut refiners = Vec::new();
    if config.refines_values() {
        refiners.push(Node::leaf("value: interpolants of values tell which variables to track"));
    }
    if config.refines_predicates() {
        let predicate = config.predicate.clone().unwrap_or_default();
        refiners.push(Node::leaf(match predicate.refinement {
            PredicateRefinement::Impact => "impact: interpolants strengthen the states of the path",
            _ => "predicate: interpolants become predicates of their location",
        }));
    }
    let text = if refiners.len() > 1 { "refine: the first that excludes the path" } else { "refine" };
    Node::new(text, refiners)
}

fn component(config: &Config, domain: DomainName) -> String {
    let settings = match domain {
        DomainName::Location => "where control is; merge sep".to_owned(),
        DomainName::Callstack => "calls that have not returned".to_owned(),
        DomainName::Specification => "errors are targets".to_owned(),
        DomainName::Sign => "signs of integers".to_owned(),
        DomainName::Octagon => "bounds of integers, and of their sums and differences in pairs".to_owned(),
        DomainName::Linear => "linear equations between integers modulo 2³²".to_owned(),
        DomainName::LoopBound => "cuts paths at the bound".to_owned(),
        DomainName::Value => {
            let value = config.value.clone().unwrap_or_default();
            let precision = match value.precision {
                ValuePrecision::All => "all variables",
                ValuePrecision::Refined => "variables that refinement finds",
                ValuePrecision::Limited => "variables with few values or that refinement finds",
                ValuePrecision::Growing => "variables that refinement finds, later all with few values",
            };
            let limit =
                value.distinct_values.map(|n| format!(", at most {n} values each")).unwrap_or_default();
            format!("explicit values of {precision}{limit}; merge {}", merge(value.merge))
        }
        DomainName::Interval => {
            let interval = config.interval.clone().unwrap_or_default();
            format!("widened after {} merges; merge {}", interval.widen_after, merge(interval.merge))
        }
        DomainName::Predicate => {
            let predicate = config.predicate.clone().unwrap_or_default();
            let blocks = match predicate.blocks {
                BlockOperator::Loops => "abstraction at loop heads (blk^l)",
                BlockOperator::LoopsAndFunctions => "abstraction at loop heads, calls and returns (blk^lf)",
                BlockOperator::Never => "no abstraction (blk^never)",
            };
            let states = match predicate.abstraction {
                Abstraction::Bdd => "as BDD",
                Abstraction::Term => "as formula",
            };
            let cartesian = if predicate.cartesian { ", cartesian" } else { "" };
            let covering = if predicate.forced_covering { "; forced covering" } else { "" };
            format!("{blocks}, {states}{cartesian}; merge {}{covering}", merge(predicate.merge))
        }
    };
    format!("{}: {settings}", domain.name())
}

fn merge(merge: Merge) -> &'static str {
    match merge {
        Merge::Sep => "sep",
        Merge::Join => "join",
    }
}

fn layer_text(layer: WaitlistLayer) -> &'static str {
    match layer {
        WaitlistLayer::Unrolled => "in the order of the unrolled program",
        WaitlistLayer::ShallowCalls => "fewer callers first",
        WaitlistLayer::DeepCalls => "more callers first",
        WaitlistLayer::Breadth => "older states first",
        WaitlistLayer::Depth => "younger states first",
    }
}

fn bounds(config: &Config) -> String {
    let bound = config.loop_bound.clone().unwrap_or_default();
    match bound.max {
        Some(max) => format!("bounds from {} to {max}", bound.start),
        None => format!("bounds from {} on", bound.start),
    }
}

fn encoding(config: &Config) -> &'static str {
    match config.encoding {
        super::EncodingChoice::Auto => {
            "over integers or bit-vectors, as the program needs; the other one if that fails"
        }
        super::EncodingChoice::Int => "over integers",
        super::EncodingChoice::Bitvector => "over bit-vectors",
    }
}
