//! Saved states: what is loaded covers what was saved and is covered by it, also after a detour through
//! another analysis of the same program; and what was tampered with is loaded as some state or refused, never
//! a panic.

use serde_json::Value as Json;
use summa_cpa::{Cpa, Portable};
use summa_domains::{AnyState, Domain};
use summa_testkit::{Random, tampered};

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
