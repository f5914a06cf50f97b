//! Witnesses in GraphML, format 1.0: automata whose edges are taken when the program passes their line, with
//! assumptions about what then holds.
//!
//! A violation witness is written as one path: an edge for each input and the last one into the violation. In
//! automata of other tools, the shortest way from entry to violation is read. Invariants stand on nodes.
//! Edges without assumption, branch or call only say where the program is, and require nothing.

use crate::metadata::{File, Metadata};
use crate::places::Location;
use crate::witness::{Content, Invariant, Order, PointKind, Segment, Waypoint, Witness};
use crate::xml::{check_size, escaped};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use summa_c::types::DataModel;

// ---- writing ----

const KEYS: &[(&str, &str, &str)] = &[
    ("witness-type", "string", "graph"),
    ("sourcecodelang", "string", "graph"),
    ("producer", "string", "graph"),
    ("specification", "string", "graph"),
    ("programfile", "string", "graph"),
    ("programhash", "string", "graph"),
    ("architecture", "string", "graph"),
    ("creationtime", "string", "graph"),
    ("entry", "boolean", "node"),
    ("violation", "boolean", "node"),
    ("invariant", "string", "node"),
    ("invariant.scope", "string", "node"),
    ("startline", "int", "edge"),
    ("control", "string", "edge"),
    ("assumption", "string", "edge"),
    ("assumption.scope", "string", "edge"),
    ("assumption.resultfunction", "string", "edge"),
    ("enterFunction", "string", "edge"),
    ("enterLoopHead", "boolean", "edge"),
];

/// The witness as a file. Points of a violation must be of the kinds that hold after an event
/// ([`PointKind::After`]).
pub fn write(metadata: &Metadata, content: &Content) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
    out.push_str("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" ");
    out.push_str("xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n");
    for (id, ty, of) in KEYS {
        let default = match *ty {
            "boolean" => "<default>false</default>",
            _ => "",
        };
        let _ = writeln!(
            out,
            "  <key id=\"{id}\" attr.name=\"{id}\" attr.type=\"{ty}\" for=\"{of}\">{default}</key>"
        );
    }
    out.push_str("  <graph edgedefault=\"directed\">\n");
    let kind = match content {
        Content::Violation(_) => "violation_witness",
        Content::Correctness(..) => "correctness_witness",
    };
    let file = metadata.files.first();
    for (key, value) in [
        ("witness-type", kind.to_owned()),
        ("sourcecodelang", "C".to_owned()),
        ("producer", metadata.producer()),
        ("specification", metadata.specification.clone()),
        ("programfile", file.map(|file| file.name.clone()).unwrap_or_default()),
        ("programhash", file.map(|file| file.hash.clone()).unwrap_or_default()),
        ("architecture", metadata.architecture().to_owned()),
        ("creationtime", metadata.creation_time.clone()),
    ] {
        data(&mut out, "    ", key, &value);
    }
    match content {
        Content::Violation(segments) => violation(&mut out, segments),
        Content::Correctness(invariants, _) => correctness(&mut out, invariants),
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn data(out: &mut String, indent: &str, key: &str, value: &str) {
    let _ = writeln!(out, "{indent}<data key=\"{key}\">{}</data>", escaped(value));
}

fn violation(out: &mut String, segments: &[Segment]) {
    out.push_str("    <node id=\"N0\">\n");
    data(out, "      ", "entry", "true");
    out.push_str("    </node>\n");
    for (number, segment) in segments.iter().enumerate() {
        let Waypoint { kind, location, callee } = &segment.follow;
        if *kind == PointKind::Target {
            let _ = writeln!(out, "    <node id=\"N{}\">", number + 1);
            data(out, "      ", "violation", "true");
            out.push_str("    </node>\n");
        } else {
            let _ = writeln!(out, "    <node id=\"N{}\"/>", number + 1);
        }
        let _ = writeln!(out, "    <edge source=\"N{number}\" target=\"N{}\">", number + 1);
        data(out, "      ", "startline", &location.line.max(1).to_string());
        match kind {
            PointKind::Assumption(text) | PointKind::After(text) | PointKind::Return(text) => {
                data(out, "      ", "assumption", &format!("{text};"));
                if let Some(function) = &location.function {
                    data(out, "      ", "assumption.scope", function);
                }
                if let (PointKind::Return(_), Some(callee)) = (kind, callee) {
                    data(out, "      ", "assumption.resultfunction", callee);
                }
            }
            PointKind::Branching(value) => data(out, "      ", "control", &format!("condition-{value}")),
            PointKind::Enter => data(out, "      ", "enterFunction", callee.as_deref().unwrap_or("")),
            PointKind::Target => {}
        }
        out.push_str("    </edge>\n");
    }
}

fn correctness(out: &mut String, invariants: &[Invariant]) {
    out.push_str("    <node id=\"N0\">\n");
    data(out, "      ", "entry", "true");
    out.push_str("    </node>\n");
    for (number, invariant) in invariants.iter().enumerate() {
        let number = number + 1;
        let _ = writeln!(out, "    <node id=\"N{number}\">");
        data(out, "      ", "invariant", &invariant.value);
        if let Some(function) = &invariant.location.function {
            data(out, "      ", "invariant.scope", function);
        }
        out.push_str("    </node>\n");
        let _ = writeln!(out, "    <edge source=\"N{}\" target=\"N{number}\">", number - 1);
        data(out, "      ", "startline", &invariant.location.line.max(1).to_string());
        if invariant.is_loop {
            data(out, "      ", "enterLoopHead", "true");
        }
        out.push_str("    </edge>\n");
    }
}

// ---- reading ----

/// The witness in a GraphML file; the error message says what is wrong.
pub fn read(text: &str) -> Result<Witness, String> {
    check_size(text)?;
    let document = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
    let graphs: Vec<_> = document.descendants().filter(|node| node.has_tag_name_local("graph")).collect();
    let [graph] = graphs[..] else { return Err("there is no graph in it, or more than one".to_owned()) };
    let about = facts(graph);
    let about = |key: &str| about.get(key).cloned().unwrap_or_default();
    let model = match about("architecture").as_str() {
        "32bit" => DataModel::Ilp32,
        "64bit" => DataModel::Lp64,
        other => return Err(format!("there is no architecture `{other}`: 32bit and 64bit are known")),
    };
    let file = File { name: about("programfile"), hash: about("programhash") };
    let automaton = Automaton::of(graph, &file.name)?;
    let content = match about("witness-type").as_str() {
        "violation_witness" => Content::Violation(automaton.path()?),
        "correctness_witness" => Content::Correctness(automaton.invariants(), Vec::new()),
        other => return Err(format!("witnesses of type `{other}` are not known")),
    };
    let metadata = Metadata {
        producer: about("producer"),
        version: String::new(),
        files: vec![file],
        specification: about("specification"),
        model,
        creation_time: about("creationtime"),
    };
    Ok(Witness { metadata: Some(metadata), content, order: Order::AnyTime })
}

/// Tags, ignoring their name space.
trait Local {
    fn has_tag_name_local(&self, name: &str) -> bool;
}

impl Local for roxmltree::Node<'_, '_> {
    fn has_tag_name_local(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

/// The `data` of a node, an edge or the graph, by key.
fn facts(node: roxmltree::Node<'_, '_>) -> BTreeMap<String, String> {
    let all = node.children().filter(|child| child.has_tag_name_local("data"));
    all.filter_map(|data| {
        Some((data.attribute("key")?.to_owned(), data.text().unwrap_or("").trim().to_owned()))
    })
    .collect()
}

struct Node {
    facts: BTreeMap<String, String>,
    /// By their numbers, ascending.
    leaving: Vec<usize>,
}

struct Edge {
    facts: BTreeMap<String, String>,
    target: usize,
}

struct Automaton {
    file: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Automaton {
    fn of(graph: roxmltree::Node<'_, '_>, file: &str) -> Result<Self, String> {
        let mut automaton = Self { file: file.to_owned(), nodes: Vec::new(), edges: Vec::new() };
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for node in graph.children().filter(|child| child.has_tag_name_local("node")) {
            numbers.insert(node.attribute("id").unwrap_or(""), automaton.nodes.len());
            automaton.nodes.push(Node { facts: facts(node), leaving: Vec::new() });
        }
        for edge in graph.children().filter(|child| child.has_tag_name_local("edge")) {
            let end = |name: &str| {
                let id = edge.attribute(name).unwrap_or("");
                numbers.get(id).copied().ok_or_else(|| format!("an edge leads to `{id}`, which is no node"))
            };
            let (source, target) = (end("source")?, end("target")?);
            let number = automaton.edges.len();
            automaton.nodes[source].leaving.push(number);
            automaton.edges.push(Edge { facts: facts(edge), target });
        }
        Ok(automaton)
    }

    fn is(&self, node: usize, key: &str) -> bool {
        self.nodes[node].facts.get(key).is_some_and(|value| value == "true")
    }

    /// The shortest way to a violation, as points.
    fn path(&self) -> Result<Vec<Segment>, String> {
        let entry =
            (0..self.nodes.len()).find(|&node| self.is(node, "entry")).ok_or("no node is the entry")?;
        let mut came_by: Vec<Option<(usize, usize)>> = vec![None; self.nodes.len()];
        let mut open = VecDeque::from([entry]);
        let mut seen = vec![false; self.nodes.len()];
        seen[entry] = true;
        let mut end = None;
        while let Some(node) = open.pop_front() {
            if self.is(node, "violation") {
                end = Some(node);
                break;
            }
            for &edge in &self.nodes[node].leaving {
                let target = self.edges[edge].target;
                if !std::mem::replace(&mut seen[target], true) {
                    came_by[target] = Some((node, edge));
                    open.push_back(target);
                }
            }
        }
        let mut node = end.ok_or("no way leads from the entry to a violation")?;
        let mut edges = Vec::new();
        while let Some((before, edge)) = came_by[node] {
            edges.push(edge);
            node = before;
        }
        edges.reverse();
        let mut points: Vec<Waypoint> = Vec::new();
        for (position, &edge) in edges.iter().enumerate() {
            let facts = &self.edges[edge].facts;
            points.extend(self.points(facts));
            if position + 1 == edges.len() {
                let location = self.location(facts).ok_or("the last edge has no line")?;
                points.push(Waypoint { kind: PointKind::Target, location, callee: None });
            }
        }
        Ok(points.into_iter().map(Segment::from).collect())
    }

    fn location(&self, facts: &BTreeMap<String, String>) -> Option<Location> {
        let line = facts.get("startline")?.parse().ok()?;
        let function = facts.get("assumption.scope").cloned();
        Some(Location { file: self.file.clone(), line, column: None, function })
    }

    /// The points that an edge requires.
    fn points(&self, facts: &BTreeMap<String, String>) -> Vec<Waypoint> {
        let Some(location) = self.location(facts) else { return Vec::new() };
        let mut points = Vec::new();
        let callee = facts.get("assumption.resultfunction").cloned();
        if let Some(control) = facts.get("control").and_then(|value| value.strip_prefix("condition-")) {
            let kind = PointKind::Branching(control.to_owned());
            points.push(Waypoint { kind, location: location.clone(), callee: None });
        }
        if let Some(text) = facts.get("assumption") {
            // Several are separated by `;`.
            let all: Vec<&str> = text.split(';').map(str::trim).filter(|part| !part.is_empty()).collect();
            let text = all.join(" && ");
            let kind = match &callee {
                Some(_) => PointKind::Return(text),
                None => PointKind::After(text),
            };
            points.push(Waypoint { kind, location, callee });
        }
        points
    }

    /// The invariants of all nodes, each where an edge that enters it says.
    fn invariants(&self) -> Vec<Invariant> {
        let mut found = Vec::new();
        for edge in &self.edges {
            let Some(value) = self.nodes[edge.target].facts.get("invariant").filter(|value| *value != "true")
            else {
                continue;
            };
            let Some(location) = self.location(&edge.facts) else { continue };
            let is_loop = edge.facts.get("enterLoopHead").is_some_and(|value| value == "true");
            let invariant = Invariant { is_loop, location, value: value.clone() };
            if !found.contains(&invariant) {
                found.push(invariant);
            }
        }
        found
    }
}
