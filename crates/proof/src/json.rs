//! Proofs as JSON: functions by name, locations and edges by their number in their function, formulas as
//! rows.
//!
//! A file may come from anywhere. Here it is only read. The checker decides whether it proves anything about
//! the program.

use crate::proof::{Formula, Method, Place, Point, Procedure, Proof};
use serde_json::{Value as Json, json};
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId, NodeId};
use summa_encode::Encoding;
use summa_term::portable::Rows;

/// The format; a file of another one is refused.
const FORMAT: &str = "summa proof 1";
const MEMBERS_APART: &str = "members apart";

impl Proof {
    pub fn to_json(&self, cfa: &Cfa) -> Json {
        let point = |point: &Point| {
            let calls: Vec<Json> = point.place.calls.iter().map(|&call| write_edge(cfa, call)).collect();
            let (function, number) = cfa.place_of_node(point.place.node);
            json!([calls, cfa.names().function(function), number, point.formula.0])
        };
        let points = |list: &[Point]| list.iter().map(point).collect::<Vec<Json>>();
        let procedure = |procedure: &Procedure| {
            json!({
                "function": cfa.names().function(procedure.function),
                "requires": procedure.requires.0,
                "ensures": procedure.ensures.0,
                "points": points(&procedure.points),
            })
        };
        json!({
            "format": FORMAT,
            MEMBERS_APART: cfa.members_apart,
            "encoding": match self.encoding {
                Encoding::Int => "integers",
                Encoding::BitVector => "bit-vectors",
            },
            "method": match self.method {
                Method::Induction { k } => json!({ "induction": k }),
                Method::Unrolling { bound } => json!({ "unrolling": bound }),
            },
            "lemmas": self.lemmas.iter().map(|layer| points(layer)).collect::<Vec<_>>(),
            "procedures": self.procedures.iter().map(procedure).collect::<Vec<_>>(),
            "formulas": { "rows": self.formulas.rows, "roots": self.formulas.roots },
        })
    }

    /// Is the proof in the file about automata that keep members apart ([`Cfa::members_apart`])?
    pub fn is_about_members_apart(json: &Json) -> bool {
        json[MEMBERS_APART].as_bool() == Some(true)
    }

    /// # Errors
    /// What is wrong with the file.
    pub fn from_json(cfa: &Cfa, json: &Json) -> Result<Self, String> {
        if json["format"].as_str() != Some(FORMAT) {
            return Err(format!("it does not say \"format\": \"{FORMAT}\""));
        }
        if json[MEMBERS_APART].as_bool() != Some(cfa.members_apart) {
            return Err("it is about other automata of the program".to_owned());
        }
        let encoding = match json["encoding"].as_str() {
            Some("integers") => Encoding::Int,
            Some("bit-vectors") => Encoding::BitVector,
            _ => return Err("`encoding` is neither `integers` nor `bit-vectors`".to_owned()),
        };
        let method = &json["method"];
        let method = match (number(&method["induction"]), number(&method["unrolling"])) {
            (Some(k), None) => Method::Induction { k },
            (None, Some(bound)) => Method::Unrolling { bound },
            _ => return Err("`method` is neither an induction nor an unrolling".to_owned()),
        };
        let layer = |layer: &Json| points(cfa, layer);
        let lemmas = list(&json["lemmas"])?.iter().map(layer).collect::<Result<_, _>>()?;
        let procedure = |json: &Json| {
            Ok::<_, String>(Procedure {
                function: function(cfa, &json["function"])?,
                requires: formula(&json["requires"])?,
                ensures: formula(&json["ensures"])?,
                points: points(cfa, &json["points"])?,
            })
        };
        let procedures = list(&json["procedures"])?.iter().map(procedure).collect::<Result<_, _>>()?;
        let row = |row: &Json| row.as_str().map(str::to_owned).ok_or_else(|| wrong("a row", row));
        let root = |root: &Json| formula(root).map(|formula| formula.0);
        let formulas = &json["formulas"];
        let formulas = Rows {
            rows: list(&formulas["rows"])?.iter().map(row).collect::<Result<_, _>>()?,
            roots: list(&formulas["roots"])?.iter().map(root).collect::<Result<_, _>>()?,
        };
        Ok(Self { encoding, method, lemmas, procedures, formulas })
    }
}

fn points(cfa: &Cfa, json: &Json) -> Result<Vec<Point>, String> {
    let point = |json: &Json| {
        let [calls, name, number, number_of_formula] = &list(json)?[..] else {
            return Err(wrong("a point", json));
        };
        let calls = list(calls)?.iter().map(|call| edge(cfa, call)).collect::<Result<_, _>>()?;
        let node = node(cfa, name, number)?;
        Ok(Point { place: Place { calls, node }, formula: formula(number_of_formula)? })
    };
    list(json)?.iter().map(point).collect()
}

fn write_edge(cfa: &Cfa, edge: EdgeId) -> Json {
    let (function, number) = cfa.place_of_edge(edge);
    json!([cfa.names().function(function), number])
}

fn edge(cfa: &Cfa, json: &Json) -> Result<EdgeId, String> {
    let [name, at] = &list(json)?[..] else { return Err(wrong("an edge", json)) };
    let found = number(at).and_then(|at| cfa.edge_at(function(cfa, name).ok()?, at));
    found.ok_or_else(|| wrong("an edge of this program", json))
}

fn node(cfa: &Cfa, name: &Json, at: &Json) -> Result<NodeId, String> {
    let function = function(cfa, name)?;
    let found = number(at).and_then(|at| cfa.node_at(function, at));
    found.ok_or_else(|| wrong("a location of this program", at))
}

fn function(cfa: &Cfa, json: &Json) -> Result<FuncId, String> {
    let found = json.as_str().and_then(|name| cfa.names().find_function(name));
    found.ok_or_else(|| wrong("a function of this program", json))
}

fn formula(json: &Json) -> Result<Formula, String> {
    let found = json.as_u64().and_then(|number| usize::try_from(number).ok());
    found.map(Formula).ok_or_else(|| wrong("the number of a formula", json))
}

fn number(json: &Json) -> Option<u32> {
    json.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn list(json: &Json) -> Result<&Vec<Json>, String> {
    json.as_array().ok_or_else(|| wrong("a list", json))
}

/// What was expected, and the beginning of what is there.
fn wrong(expected: &str, found: &Json) -> String {
    let text: String = found.to_string().chars().take(60).collect();
    format!("{expected} is expected instead of `{text}`")
}
