//! Saved states: what is loaded covers what was saved and is covered by it, also after a detour through another analysis of the same
//! program; and what was tampered with is loaded as some state or refused, never a panic.

use serde_json::{Value as Json, json};
use summa_cpa::{Cpa, Portable};
use summa_domains::{AnyState, Domain};
use summa_testkit::Random;

/// Saves and loads a state; `other` is the same domain in another run. How many checks there were.
pub(crate) fn check(
    domain: &mut Domain<'_>,
    other: &mut Domain<'_>,
    state: &AnyState,
    random: &mut Random,
) -> Result<usize, String> {
    // Any location will do.
    let precision = domain.initial(summa_base::Id::from_index(0)).1;
    let shown = domain.show(state);
    let name = domain.name();
    let fail = |what: &str| Err(format!("{name}: {what}: {shown}"));
    let Ok(saved) = domain.save(state) else { return fail("cannot be saved") };
    let text = saved.to_string();
    let Ok(saved) = serde_json::from_str::<Json>(&text) else { return fail("is no JSON") };
    let there = match other.load(&saved) {
        Ok(there) => there,
        Err(misfit) => return fail(&format!("is refused ({misfit})")),
    };
    let Ok(again) = other.save(&there) else { return fail("cannot be saved again") };
    let back = match domain.load(&again) {
        Ok(back) => back,
        Err(misfit) => return fail(&format!("is refused on its way back ({misfit})")),
    };
    let covers = domain.stop(state, &back, &precision) == Ok(true)
        && domain.stop(&back, state, &precision) == Ok(true);
    if !covers {
        let back = domain.show(&back);
        return Err(format!("{name}: {shown} comes back as {back}"));
    }
    for _ in 0..3 {
        // A state or a refusal, both are fine; a state must be usable.
        if let Ok(loaded) = other.load(&tampered(saved.clone(), random)) {
            let _ = (other.show(&loaded), other.save(&loaded));
        }
    }
    Ok(1)
}

/// One place of the data is something else.
fn tampered(mut saved: Json, random: &mut Random) -> Json {
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
