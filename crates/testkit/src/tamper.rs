//! Data that was changed at random: reading files must not crash, whatever they contain.

use crate::random::Random;
use serde_json::{Value as Json, json};

/// One place of the data is something else.
pub fn tampered(mut saved: Json, random: &mut Random) -> Json {
    let mut at = &mut saved;
    while let Json::Array(parts) = at {
        if parts.is_empty() || random.below(4) == 0 {
            match random.below(3) {
                0 => drop(parts.pop()),
                1 => parts.push(json!("more")),
                _ => parts.reverse(),
            }
            return saved;
        }
        let index = random.below(parts.len());
        at = &mut parts[index];
    }
    *at = match random.below(6) {
        0 => Json::Null,
        1 => json!(random.below(1 << 40)),
        2 => json!(-1),
        3 => json!("-170141183460469231731687303715884105728"),
        4 => json!("bvmul bv32 0 0"),
        _ => json!([]),
    };
    saved
}
