//! A configuration as a tree, for `--explain-config`.

use super::{Algorithm, Chosen, Config, InvariantSource, WaitlistLayer};

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
            if config.is_bounded() {
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
    let components = config.domains.iter().map(|chosen| Node::leaf(component(chosen))).collect();
    let mut below = vec![Node::new("product", components)];
    below.extend(summaries(config));
    if !config.reductions.is_empty() {
        let reductions =
            config.reductions.iter().map(|named| Node::leaf(format!("{}: {}", named.name, named.what)));
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
    let refiners: Vec<Node> = config.refinements().map(Node::leaf).collect();
    let text = if refiners.len() > 1 { "refine: the first that excludes the path" } else { "refine" };
    Node::new(text, refiners)
}

fn component(chosen: &Chosen) -> String {
    format!("{}: {}", chosen.registration.name, chosen.explain())
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
