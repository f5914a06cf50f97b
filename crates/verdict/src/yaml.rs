//! Witnesses in YAML, formats 2.0 to 2.2: a list of entries, each with metadata and either segments or
//! invariants. Contracts of functions belong to format 2.1 and are written only if there are any.
//!
//! Reading accepts what other tools write: keys in any order, unknown keys, missing columns, both spellings
//! of contracts, and the point to follow anywhere in its segment. What has no meaning here (cycles of
//! non-termination, ghost variables, threads, transition invariants) is an error, never skipped.

use crate::metadata::{File, Metadata};
use crate::places::Location;
use crate::witness::{Content, Contract, Invariant, Order, PointKind, Segment, Waypoint, Witness};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use summa_c::types::DataModel;

// ---- writing ----

/// The file.
pub fn write(metadata: &Metadata, content: &Content) -> String {
    let (name, has_contracts) = match content {
        Content::Violation(_) => ("violation_sequence", false),
        Content::Correctness(_, contracts) => ("invariant_set", !contracts.is_empty()),
    };
    let body = match content {
        Content::Violation(segments) => segments.iter().map(segment).collect::<String>(),
        Content::Correctness(invariants, contracts) => {
            invariants.iter().map(invariant).chain(contracts.iter().map(contract)).collect()
        }
    };
    let mut out = format!("- entry_type: \"{name}\"\n");
    let _ = writeln!(out, "  metadata:");
    let _ = writeln!(out, "    format_version: \"{}\"", if has_contracts { "2.1" } else { "2.0" });
    let _ = writeln!(out, "    uuid: \"{}\"", metadata.uuid(&body));
    let _ = writeln!(out, "    creation_time: {}", quoted(&metadata.creation_time));
    let _ = writeln!(out, "    producer:");
    let _ = writeln!(out, "      name: {}", quoted(&metadata.producer));
    let _ = writeln!(out, "      version: {}", quoted(&metadata.version));
    let _ = writeln!(out, "    task:");
    let _ = writeln!(out, "      input_files:");
    for file in &metadata.files {
        let _ = writeln!(out, "      - {}", quoted(&file.name));
    }
    let _ = writeln!(out, "      input_file_hashes:");
    for file in &metadata.files {
        let _ = writeln!(out, "        {}: \"{}\"", quoted(&file.name), file.hash);
    }
    let _ = writeln!(out, "      specification: {}", quoted(&metadata.specification));
    let _ = writeln!(out, "      data_model: \"{}\"", metadata.model.name());
    let _ = writeln!(out, "      language: \"C\"");
    if body.is_empty() {
        let _ = writeln!(out, "  content: []");
    } else {
        let _ = writeln!(out, "  content:");
        out.push_str(&body);
    }
    out
}

fn segment(segment: &Segment) -> String {
    let mut out = "  - segment:\n".to_owned();
    let points = segment.avoid.iter().map(|point| (point, "avoid"));
    for (point, action) in points.chain([(&segment.follow, "follow")]) {
        let (kind, constraint) = match &point.kind {
            PointKind::Assumption(value) | PointKind::After(value) => {
                ("assumption", Some((value, Some("c_expression"))))
            }
            PointKind::Branching(value) => ("branching", Some((value, None))),
            PointKind::Return(value) => ("function_return", Some((value, Some("acsl_expression")))),
            PointKind::Enter => ("function_enter", None),
            PointKind::Target => ("target", None),
        };
        let _ = writeln!(out, "    - waypoint:");
        let _ = writeln!(out, "        type: \"{kind}\"");
        let _ = writeln!(out, "        action: \"{action}\"");
        if let Some((value, format)) = constraint {
            let _ = writeln!(out, "        constraint:");
            let _ = writeln!(out, "          value: {}", quoted(value));
            if let Some(format) = format {
                let _ = writeln!(out, "          format: \"{format}\"");
            }
        }
        location(&mut out, "        ", &point.location);
    }
    out
}

fn invariant(invariant: &Invariant) -> String {
    let kind = if invariant.is_loop { "loop_invariant" } else { "location_invariant" };
    let mut out = format!("  - invariant:\n      type: \"{kind}\"\n");
    location(&mut out, "      ", &invariant.location);
    let _ = writeln!(out, "      value: {}\n      format: \"c_expression\"", quoted(&invariant.value));
    out
}

fn contract(contract: &Contract) -> String {
    let mut out = "  - contract:\n      type: \"function_contract\"\n".to_owned();
    location(&mut out, "      ", &contract.location);
    let _ = writeln!(out, "      requires: {}", quoted(&contract.requires));
    let _ = writeln!(out, "      ensures: {}", quoted(&contract.ensures));
    let _ = writeln!(out, "      format: \"acsl_expression\"");
    out
}

fn location(out: &mut String, indent: &str, location: &Location) {
    let _ = writeln!(out, "{indent}location:");
    let _ = writeln!(out, "{indent}  file_name: {}", quoted(&location.file));
    let _ = writeln!(out, "{indent}  line: {}", location.line.max(1));
    if let Some(column) = location.column {
        let _ = writeln!(out, "{indent}  column: {column}");
    }
    if let Some(function) = &location.function {
        let _ = writeln!(out, "{indent}  function: {}", quoted(function));
    }
}

/// A string of YAML, in double quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' || c == '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

// ---- reading ----

#[derive(Deserialize)]
struct Entry {
    entry_type: String,
    #[serde(default)]
    metadata: Option<RawMetadata>,
    content: Option<Vec<Item>>,
}

#[derive(Deserialize)]
struct Item {
    segment: Option<Vec<Point>>,
    invariant: Option<RawInvariant>,
    /// The same, as others spell contracts.
    contract: Option<RawInvariant>,
}

/// The head of every entry.
#[derive(Deserialize)]
struct Head {
    entry_type: String,
}

#[derive(Deserialize)]
struct Point {
    waypoint: RawWaypoint,
}

#[derive(Deserialize)]
struct RawWaypoint {
    #[serde(rename = "type")]
    kind: String,
    action: String,
    constraint: Option<Constraint>,
    location: RawLocation,
    #[serde(default)]
    thread_id: Option<i64>,
}

#[derive(Deserialize)]
struct Constraint {
    value: Scalar,
    #[serde(default)]
    format: Option<String>,
}

/// `true` and `7` are not strings in YAML.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Truth(bool),
    Number(i64),
    Large(u64),
    Real(f64),
    Text(String),
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Self::Truth(truth) => truth.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Large(number) => number.to_string(),
            Self::Real(number) => format!("{number:?}"),
            Self::Text(text) => text,
        }
    }
}

#[derive(Deserialize)]
struct RawLocation {
    file_name: String,
    line: u32,
    #[serde(default)]
    column: Option<u32>,
    #[serde(default)]
    function: Option<String>,
}

#[derive(Deserialize)]
struct RawInvariant {
    #[serde(rename = "type")]
    kind: String,
    location: RawLocation,
    #[serde(default)]
    value: Option<Scalar>,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    requires: Option<Scalar>,
    #[serde(default)]
    ensures: Option<Scalar>,
}

#[derive(Deserialize)]
struct RawMetadata {
    format_version: Option<Scalar>,
    creation_time: Option<String>,
    producer: Option<Producer>,
    task: Option<RawTask>,
}

#[derive(Deserialize)]
struct Producer {
    name: String,
    #[serde(default)]
    version: Option<Scalar>,
}

#[derive(Deserialize)]
struct RawTask {
    input_files: Option<Vec<String>>,
    language: Option<String>,
    input_file_hashes: Option<BTreeMap<String, String>>,
    specification: Option<String>,
    data_model: Option<String>,
}

/// Nodes that any witness may have, however short its text.
const MIN_NODES: usize = 250_000;

/// The first entry that is a witness; the error message says what is wrong with the file.
pub fn read(text: &str) -> Result<Witness, String> {
    // A long execution is a large witness. So the limit is on how much aliases may enlarge it beyond its
    // text.
    let size = text.len();
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: size.max(MIN_NODES),
            max_events: 2 * size.max(MIN_NODES),
            max_total_scalar_bytes: size.max(MIN_NODES),
        },
    };
    let wrong = |error: serde_saphyr::Error| error.to_string();
    let heads: Vec<Head> = serde_saphyr::from_str_with_options(text, options.clone()).map_err(wrong)?;
    if heads.iter().any(|head| head.entry_type == "ghost_instrumentation") {
        return Err("ghost variables (`ghost_instrumentation`) are not supported".to_owned());
    }
    let entries: Vec<Entry> = serde_saphyr::from_str_with_options(text, options).map_err(wrong)?;
    let (mut metadata, mut content) = (None, None);
    for entry in entries {
        let kind = entry.entry_type.as_str();
        if !matches!(kind, "violation_sequence" | "invariant_set") {
            continue;
        }
        let about = entry.metadata.map(read_metadata).transpose()?.flatten();
        let items = entry.content.ok_or("the entry has no `content`")?;
        let more = if kind == "violation_sequence" {
            Content::Violation(read_segments(items)?)
        } else {
            read_invariants(items)?
        };
        // Several sets of invariants count as one. Several violations are ambiguous.
        content = Some(match (content, more) {
            (None, more) => more,
            (Some(Content::Correctness(mut all, mut contracts)), Content::Correctness(more, others)) => {
                all.extend(more);
                contracts.extend(others);
                Content::Correctness(all, contracts)
            }
            (Some(_), _) => return Err("there are several witnesses in it".to_owned()),
        });
        match (&metadata, about) {
            (None, about) => metadata = about,
            (Some(one), Some(other)) if !is_about_the_same(one, &other) => {
                return Err("its entries are about different tasks".to_owned());
            }
            (Some(_), _) => {}
        }
    }
    let content = content.ok_or("there is no entry `violation_sequence` or `invariant_set` in it")?;
    Ok(Witness { metadata, content, order: Order::FirstDecides })
}

fn is_about_the_same(one: &Metadata, other: &Metadata) -> bool {
    (&one.files, &one.specification, one.model) == (&other.files, &other.specification, other.model)
}

fn read_metadata(raw: RawMetadata) -> Result<Option<Metadata>, String> {
    if let Some(version) = raw.format_version.map(Scalar::text)
        && !matches!(version.as_str(), "2.0" | "2.1" | "2.2" | "2")
    {
        return Err(format!("format version {version} is not known (2.0, 2.1 and 2.2 are)"));
    }
    let Some(task) = raw.task else { return Ok(None) };
    let model = match task.data_model.as_deref() {
        Some("ILP32" | "32bit") => DataModel::Ilp32,
        Some("LP64" | "64bit") => DataModel::Lp64,
        Some(other) => return Err(format!("there is no data model {other}")),
        None => return Err("its task has no data model".to_owned()),
    };
    if let Some(language) = task.language.filter(|language| language != "C") {
        return Err(format!("it is about a program in {language}"));
    }
    let mut files = task.input_file_hashes.unwrap_or_default();
    // Those without a hash are known by their names.
    for name in task.input_files.unwrap_or_default() {
        files.entry(name).or_default();
    }
    Ok(Some(Metadata {
        producer: raw.producer.as_ref().map(|producer| producer.name.clone()).unwrap_or_default(),
        version: raw.producer.and_then(|producer| producer.version).map(Scalar::text).unwrap_or_default(),
        files: files.into_iter().map(|(name, hash)| File { name, hash }).collect(),
        specification: task.specification.unwrap_or_default(),
        model,
        creation_time: raw.creation_time.unwrap_or_default(),
    }))
}

fn read_location(raw: RawLocation) -> Location {
    Location { file: raw.file_name, line: raw.line, column: raw.column, function: raw.function }
}

fn read_segments(items: Vec<Item>) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    for (number, item) in items.into_iter().enumerate() {
        let number = number + 1;
        let points = item.segment.ok_or_else(|| format!("item {number} is no segment"))?;
        let (mut avoid, mut follow) = (Vec::new(), None);
        for point in points {
            let wrong = |why: String| format!("segment {number}: {why}");
            let action = point.waypoint.action.clone();
            if action == "cycle" {
                let why = "the action `cycle` (of programs that do not terminate) is not supported";
                return Err(wrong(why.to_owned()));
            }
            let waypoint = read_waypoint(point.waypoint).map_err(wrong)?;
            match action.as_str() {
                "follow" if follow.is_some() => {
                    return Err(wrong("it has two waypoints to follow, as only data races have".to_owned()));
                }
                "follow" => follow = Some(waypoint),
                "avoid" if waypoint.kind == PointKind::Target => {
                    return Err(wrong("a target cannot be avoided".to_owned()));
                }
                "avoid" => avoid.push(waypoint),
                other => return Err(wrong(format!("the action `{other}` is not known"))),
            }
        }
        let follow = follow.ok_or_else(|| format!("segment {number}: no waypoint to follow"))?;
        segments.push(Segment { avoid, follow });
    }
    let is_target = |segment: &Segment| segment.follow.kind == PointKind::Target;
    match segments.iter().position(is_target) {
        Some(at) if at + 1 == segments.len() => Ok(segments),
        Some(_) => Err("something comes after the target".to_owned()),
        None => Err("the last segment has no target".to_owned()),
    }
}

fn read_waypoint(raw: RawWaypoint) -> Result<Waypoint, String> {
    if raw.thread_id.is_some_and(|thread| thread != 0) {
        return Err("waypoints of other threads than the first are not supported".to_owned());
    }
    let format = raw.constraint.as_ref().and_then(|constraint| constraint.format.clone());
    let value = raw.constraint.map(|constraint| constraint.value.text());
    let needed = || value.clone().ok_or_else(|| format!("a waypoint `{}` needs a constraint", raw.kind));
    let known = ["c_expression", "ext_c_expression", "acsl_expression"];
    if let Some(format) = format.filter(|format| !known.contains(&format.as_str())) {
        return Err(format!("the format `{format}` of a constraint is not known"));
    }
    if let Some(text) = value.as_ref().filter(|text| text.contains("\\at")) {
        return Err(format!("`\\at` is not supported: `{text}`"));
    }
    let kind = match raw.kind.as_str() {
        "assumption" => PointKind::Assumption(needed()?),
        "branching" => PointKind::Branching(needed()?),
        "function_enter" => PointKind::Enter,
        // Without a constraint any result will do.
        "function_return" => PointKind::Return(value.unwrap_or_else(|| "1".to_owned())),
        "target" => PointKind::Target,
        other => return Err(format!("the waypoint type `{other}` is not known")),
    };
    Ok(Waypoint { kind, location: read_location(raw.location), callee: None })
}

fn read_invariants(items: Vec<Item>) -> Result<Content, String> {
    let (mut invariants, mut contracts) = (Vec::new(), Vec::new());
    for (number, item) in items.into_iter().enumerate() {
        let number = number + 1;
        let raw = item.invariant.or(item.contract);
        let raw = raw.ok_or_else(|| format!("item {number} is neither an invariant nor a contract"))?;
        let format = raw.format.as_deref().unwrap_or("c_expression").to_owned();
        let location = read_location(raw.location);
        match (raw.kind.as_str(), raw.value) {
            (kind @ ("loop_invariant" | "location_invariant"), Some(value)) => {
                // ACSL computes with other numbers than C.
                if !matches!(format.as_str(), "c_expression" | "ext_c_expression") {
                    return Err(format!("invariant {number}: the format `{format}` is not supported"));
                }
                let is_loop = kind == "loop_invariant";
                invariants.push(Invariant { is_loop, location, value: value.text() });
            }
            ("loop_invariant" | "location_invariant", None) => {
                return Err(format!("invariant {number} has no value"));
            }
            ("function_contract", _) => contracts.push(Contract {
                function: location.function.clone().unwrap_or_default(),
                location,
                requires: raw.requires.map_or_else(|| "1".to_owned(), Scalar::text),
                ensures: raw.ensures.map_or_else(|| "1".to_owned(), Scalar::text),
            }),
            (other @ ("loop_transition_invariant" | "location_transition_invariant"), _) => {
                return Err(format!(
                    "invariant {number}: the type `{other}`, about two moments, is not supported"
                ));
            }
            (other, _) => return Err(format!("invariant {number}: the type `{other}` is not known")),
        }
    }
    Ok(Content::Correctness(invariants, contracts))
}
