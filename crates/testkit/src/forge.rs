//! Proofs and programs that were edited on purpose, in ways that could hide an error from a checker.
//!
//! A proof is its data: formulas are made weaker, stronger, swapped or put elsewhere, call stacks changed,
//! points made lemmas and lemmas points, contracts altered, the method too. A program is its text: numbers,
//! comparisons, conditions and assignments change, so that the automata stay alike and a proof of the program
//! as it was still has a meaning.

use crate::random::Random;
use serde_json::{Value as Json, json};

/// The proof with some edits, and what they are called.
pub fn edited_proof(proof: &Json, random: &mut Random) -> (Json, Vec<&'static str>) {
    let (mut proof, mut done) = (proof.clone(), Vec::new());
    for _ in 0..1 + random.below(3) {
        let (name, edit) = *random.pick(EDITS);
        if edit(&mut proof, random).is_some() {
            done.push(name);
        }
    }
    (proof, done)
}

type Edit = fn(&mut Json, &mut Random) -> Option<()>;

/// An edit gives `None` where there is nothing that it could change.
const EDITS: &[(&str, Edit)] = &[
    ("a point says something else", |proof, random| {
        let formula = any_formula(proof, random)?;
        *any_point(proof, random)?.get_mut(3)? = formula;
        Some(())
    }),
    ("two points swap their formulas", |proof, random| {
        let first = any_point(proof, random)?.get(3)?.clone();
        let other = any_point(proof, random)?.get_mut(3)?;
        let second = std::mem::replace(other, first.clone());
        let back = all_points(proof).into_iter().find(|point| point.get(3) == Some(&first))?;
        *back.get_mut(3)? = second;
        Some(())
    }),
    ("a point is gone", |proof, random| {
        let lists = point_lists(proof);
        let mut lists: Vec<&mut Vec<Json>> = lists.into_iter().filter(|list| !list.is_empty()).collect();
        let list = pick_mut(&mut lists, random)?;
        list.remove(random.below(list.len()));
        Some(())
    }),
    ("a point more", |proof, random| {
        let formula = any_formula(proof, random)?;
        let mut point = any_point(proof, random)?.clone();
        *point.get_mut(3)? = formula;
        let mut lists = point_lists(proof);
        pick_mut(&mut lists, random)?.push(point);
        Some(())
    }),
    ("a point is elsewhere", |proof, random| {
        let by = random.between(-3, 3);
        let node = any_point(proof, random)?.get_mut(2)?;
        *node = json!((node.as_i64()? + by).max(0));
        Some(())
    }),
    ("a call less", |proof, random| {
        let calls = any_point(proof, random)?.get_mut(0)?.as_array_mut()?;
        if random.chance(50) {
            calls.pop().map(drop)
        } else {
            (!calls.is_empty()).then(|| drop(calls.remove(0)))
        }
    }),
    ("other calls", |proof, random| {
        let calls = any_point(proof, random)?.get(0)?.clone();
        *any_point(proof, random)?.get_mut(0)? = calls;
        Some(())
    }),
    ("another call of the function", |proof, random| {
        let by = random.between(-2, 2);
        let calls = any_point(proof, random)?.get_mut(0)?.as_array_mut()?;
        let edge = calls.last_mut()?.get_mut(1)?;
        *edge = json!((edge.as_i64()? + by).max(0));
        Some(())
    }),
    ("points are lemmas", |proof, random| {
        let procedure = any_procedure(proof, random)?;
        let mut points = procedure.get("points")?.clone();
        if random.chance(50) {
            points.as_array_mut()?.truncate(1);
        }
        let lemmas = proof.get_mut("lemmas")?.as_array_mut()?;
        lemmas.insert(random.below(lemmas.len() + 1), points);
        Some(())
    }),
    ("lemmas are points", |proof, random| {
        let lemmas = proof.get_mut("lemmas")?.as_array_mut()?;
        let set = (!lemmas.is_empty()).then(|| lemmas.remove(random.below(lemmas.len())))?;
        any_procedure(proof, random)?.get_mut("points")?.as_array_mut()?.extend(set.as_array()?.clone());
        Some(())
    }),
    ("lemmas are gone or in another order", |proof, random| {
        let lemmas = proof.get_mut("lemmas")?.as_array_mut()?;
        if random.chance(50) {
            return lemmas.pop().map(drop);
        }
        lemmas.reverse();
        Some(())
    }),
    ("another requirement", |proof, random| {
        let formula = any_formula(proof, random)?;
        any_procedure(proof, random)?["requires"] = formula;
        Some(())
    }),
    ("another promise", |proof, random| {
        let formula = any_formula(proof, random)?;
        any_procedure(proof, random)?["ensures"] = formula;
        Some(())
    }),
    ("a promise about objects", |proof, random| {
        let formula = about_objects(proof, random)?;
        any_procedure(proof, random)?["ensures"] = formula;
        Some(())
    }),
    ("a point about objects", |proof, random| {
        let formula = about_objects(proof, random)?;
        *any_point(proof, random)?.get_mut(3)? = formula;
        Some(())
    }),
    ("a contract is gone", |proof, random| {
        let procedures = proof.get_mut("procedures")?.as_array_mut()?;
        (procedures.len() > 1).then(|| drop(procedures.remove(1 + random.below(procedures.len() - 1))))
    }),
    ("a contract for a function that is on the way", |proof, random| {
        let function = any_point(proof, random)?.get(1)?.clone();
        let (requires, ensures) = (added_row(proof, "true".to_owned())?, any_formula(proof, random)?);
        let mut points: Vec<Json> = all_points(proof).into_iter().map(|point| point.clone()).collect();
        points.retain(|point| point.get(1) == Some(&function));
        points.iter_mut().for_each(|point| {
            if let Some(calls) = point.get_mut(0) {
                *calls = json!([]);
            }
        });
        let made =
            json!({ "function": function, "requires": requires, "ensures": ensures, "points": points });
        proof.get_mut("procedures")?.as_array_mut()?.push(made);
        Some(())
    }),
    ("a contract for another function", |proof, random| {
        let function = any_procedure(proof, random)?.get("function")?.clone();
        any_procedure(proof, random)?["function"] = function;
        Some(())
    }),
    ("another number", |proof, random| {
        let step = *random.pick(&[-1, 1, -2, 2, 1 << 16, 1 << 31, -(1 << 31)]);
        change_row(proof, random, &|words| {
            let is_number = matches!(words[0].as_str(), "int" | "bv");
            let last = words.last_mut().filter(|_| is_number)?;
            *last = (last.parse::<i128>().ok()? + step).to_string();
            Some(())
        })
    }),
    ("another operator", |proof, random| {
        const PAIRS: &[(&str, &str)] = &[
            ("and", "or"),
            ("<", "<="),
            ("+", "*"),
            ("bvsle", "bvule"),
            ("bvslt", "bvsle"),
            ("bvadd", "bvsub"),
            ("div", "mod"),
            ("bvand", "bvor"),
        ];
        change_row(proof, random, &|words| {
            let (a, b) = *PAIRS.iter().find(|(a, b)| words[0] == *a || words[0] == *b)?;
            words[0] = if words[0] == a { b } else { a }.to_owned();
            Some(())
        })
    }),
    ("operands in another order", |proof, random| {
        change_row(proof, random, &|words| {
            let is_operator =
                !matches!(words[0].as_str(), "int" | "bv" | "float" | "symbol" | "true" | "false");
            (is_operator && words.len() > 3).then(|| words[2..].reverse())
        })
    }),
    ("another variable", |proof, random| {
        let rows = proof.get("formulas")?.get("rows")?.as_array()?;
        let names: Vec<String> =
            rows.iter().filter_map(|row| Some(symbol(row.as_str()?)?.to_owned())).collect();
        let name = if names.is_empty() { return None } else { random.pick(&names).clone() };
        change_row(proof, random, &|words| {
            (words[0] == "symbol").then(|| words.truncate(3))?;
            words.push(name.clone());
            Some(())
        })
    }),
    ("another method", |proof, random| {
        proof["method"] = match random.below(3) {
            0 => json!({ "induction": 0 }),
            1 => json!({ "induction": 1 + random.below(4) }),
            _ => json!({ "unrolling": random.below(6) }),
        };
        Some(())
    }),
    ("only the program", |proof, _| {
        proof.get_mut("procedures")?.as_array_mut()?.truncate(1);
        proof["procedures"][0]["points"] = json!([]);
        Some(())
    }),
];

fn symbol(row: &str) -> Option<&str> {
    row.strip_prefix("symbol ")?.splitn(3, ' ').nth(2)
}

fn pick_mut<'t, T>(items: &'t mut [T], random: &mut Random) -> Option<&'t mut T> {
    let len = items.len();
    items.get_mut(if len == 0 { return None } else { random.below(len) })
}

fn any_procedure<'p>(proof: &'p mut Json, random: &mut Random) -> Option<&'p mut Json> {
    pick_mut(proof.get_mut("procedures")?.as_array_mut()?, random)
}

/// The lists of points, of procedures and of lemmas.
fn point_lists(proof: &mut Json) -> Vec<&mut Vec<Json>> {
    let Some(proof) = proof.as_object_mut() else { return Vec::new() };
    let mut lists = Vec::new();
    for (key, value) in proof.iter_mut() {
        let Some(entries) = value.as_array_mut() else { continue };
        match key.as_str() {
            "lemmas" => lists.extend(entries.iter_mut().filter_map(Json::as_array_mut)),
            "procedures" => {
                let points = entries.iter_mut().filter_map(|procedure| procedure.get_mut("points"));
                lists.extend(points.filter_map(Json::as_array_mut));
            }
            _ => {}
        }
    }
    lists
}

fn all_points(proof: &mut Json) -> Vec<&mut Json> {
    point_lists(proof).into_iter().flatten().collect()
}

fn any_point<'p>(proof: &'p mut Json, random: &mut Random) -> Option<&'p mut Json> {
    let points = all_points(proof);
    let at = if points.is_empty() { return None } else { random.below(points.len()) };
    points.into_iter().nth(at)
}

/// One of the formulas, `true`, `false`, the negation of one, or a row inside of one.
fn any_formula(proof: &mut Json, random: &mut Random) -> Option<Json> {
    let roots = proof.get("formulas")?.get("roots")?.as_array()?;
    let (count, root) = (roots.len(), random.pick(roots).clone());
    let rows = proof.get("formulas")?.get("rows")?.as_array()?.len();
    match random.below(6) {
        0 => added_row(proof, "true".to_owned()),
        1 => added_row(proof, "false".to_owned()),
        2 => added_row(proof, format!("not Bool {root}")),
        3 => added_root(proof, random.below(rows)),
        _ => Some(json!(random.below(count))),
    }
}

fn added_row(proof: &mut Json, row: String) -> Option<Json> {
    let rows = proof.get_mut("formulas")?.get_mut("rows")?.as_array_mut()?;
    rows.push(json!(row));
    let last = rows.len() - 1;
    added_root(proof, last)
}

fn added_root(proof: &mut Json, row: usize) -> Option<Json> {
    let roots = proof.get_mut("formulas")?.get_mut("roots")?.as_array_mut()?;
    roots.push(json!(row));
    Some(json!(roots.len() - 1))
}

/// The number of the next object is this one, or that of a variable of the proof.
fn about_objects(proof: &mut Json, random: &mut Random) -> Option<Json> {
    let is_int = proof.get("encoding")? == "integers";
    let value = random.below(40);
    let (sort, number) = match is_int {
        true => ("Int", format!("int {value}")),
        false => ("bv64", format!("bv bv64 {value}")),
    };
    let rows = proof.get_mut("formulas")?.get_mut("rows")?.as_array_mut()?;
    let first = rows.len();
    rows.push(json!(format!("symbol 0 {sort} next object")));
    rows.push(json!(number));
    let compare = match (random.below(3), is_int) {
        (0, _) => "=",
        (1, true) => "<=",
        (1, false) => "bvule",
        (_, true) => "<",
        (_, false) => "bvult",
    };
    added_row(proof, format!("{compare} Bool {first} {}", first + 1))
}

/// Changes the words of a row, the first one from somewhere on that can be changed so.
fn change_row(
    proof: &mut Json,
    random: &mut Random,
    change: &dyn Fn(&mut Vec<String>) -> Option<()>,
) -> Option<()> {
    let rows = proof.get_mut("formulas")?.get_mut("rows")?.as_array_mut()?;
    let (count, start) = (rows.len(), random.below(rows.len().max(1)));
    for at in (0..count).map(|at| (at + start) % count) {
        let mut words: Vec<String> = rows[at].as_str()?.split(' ').map(str::to_owned).collect();
        if change(&mut words).is_some() {
            rows[at] = json!(words.join(" "));
            return Some(());
        }
    }
    None
}

/// The program with one thing changed; None if it has nothing to change.
pub fn edited_program(text: &str, random: &mut Random) -> Option<String> {
    // Declarations of the environment stay.
    let body = text.find("main").map_or(0, |main| text[..main].rfind("extern").unwrap_or(0));
    let start = text[body..].find('\n').map_or(body, |line| body + line);
    let (head, rest) = text.split_at(start);
    let edited = match random.below(4) {
        0 => replaced(
            rest,
            random,
            &|rest| {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                (digits > 0).then_some(digits)
            },
            &|old, random| {
                let number: i64 = old.parse().unwrap_or(0);
                (number + *random.pick(&[-1, 1, 2])).max(0).to_string()
            },
        ),
        1 => replaced(
            rest,
            random,
            &|rest| {
                [" <= ", " >= ", " == ", " != ", " < ", " > "]
                    .iter()
                    .find(|op| rest.starts_with(**op))
                    .map(|op| op.len())
            },
            &|_, random| (*random.pick(&[" < ", " <= ", " == ", " != ", " > ", " >= "])).to_owned(),
        ),
        2 => replaced(
            rest,
            random,
            &|rest| [" + ", " - ", " * "].iter().find(|op| rest.starts_with(**op)).map(|op| op.len()),
            &|_, random| (*random.pick(&[" + ", " - ", " * "])).to_owned(),
        ),
        _ => replaced(rest, random, &|rest| rest.starts_with("if (").then_some(4), &|_, random| {
            (*random.pick(&["if (!", "if (1 || ", "if (0 && "])).to_owned()
        }),
    }?;
    Some(format!("{head}{edited}"))
}

/// One of the places that are found, replaced. A number or word is found as a whole.
fn replaced(
    text: &str,
    random: &mut Random,
    find: &dyn Fn(&str) -> Option<usize>,
    replace: &dyn Fn(&str, &mut Random) -> String,
) -> Option<String> {
    let mut found = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if !(before.is_alphanumeric() || before == '_')
            && let Some(length) = find(&text[at..])
        {
            found.push((at, length));
        }
        before = c;
    }
    let &(at, length) = if found.is_empty() { return None } else { random.pick(&found) };
    let new = replace(&text[at..at + length], random);
    (new != text[at..at + length]).then(|| format!("{}{new}{}", &text[..at], &text[at + length..]))
}

/// Stored summaries of a function (`"summaries": [[entry, [exit, …]], …]`) with one thing changed.
pub fn edited_summaries(body: &Json, random: &mut Random) -> Json {
    let mut body = body.clone();
    let Some(summaries) = body.get_mut("summaries").and_then(Json::as_array_mut) else { return body };
    let kind = random.below(5);
    let other = summaries.first().and_then(|summary| summary.get(0)).cloned();
    let Some(summary) = pick_mut(summaries, random) else { return body };
    match (kind, summary.get_mut(1).and_then(Json::as_array_mut)) {
        (0, Some(exits)) => exits.clear(),
        (1, Some(exits)) => drop(exits.pop()),
        // From another entry the same exits.
        (2, Some(_)) => summary[0] = other.unwrap_or_default(),
        _ => {
            let part = random.below(2);
            if let Some(part) = summary.get_mut(part) {
                edit_number(part, random);
            }
        }
    }
    body
}

/// Another number somewhere in the data, if there is one.
fn edit_number(data: &mut Json, random: &mut Random) {
    match data {
        Json::Array(parts) => {
            if let Some(part) = pick_mut(parts, random) {
                edit_number(part, random);
            }
        }
        Json::Object(members) => {
            let mut parts: Vec<&mut Json> = members.iter_mut().map(|(_, part)| part).collect();
            if let Some(part) = pick_mut(&mut parts, random) {
                edit_number(part, random);
            }
        }
        Json::Number(number) => {
            *data = json!(number.as_i64().unwrap_or(0) + random.between(-2, 2));
        }
        Json::String(text) => {
            if let Ok(number) = text.parse::<i128>() {
                *text = (number + i128::from(random.between(-2, 2))).to_string();
            }
        }
        Json::Null | Json::Bool(_) => {}
    }
}
