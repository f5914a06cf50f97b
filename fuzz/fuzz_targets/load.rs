//! Any bytes go through the whole front end: no panic, and what is accepted becomes automata that keep the
//! invariants.
#![no_main]

use libfuzzer_sys::fuzz_target;
use summa_syntax::source::decode;
use summa_c::types::DataModel;
use summa_cfa::{BuildError, BuildOptions};

fuzz_target!(|bytes: &[u8]| {
    let text = decode(bytes.to_vec());
    let Ok(loaded) = summa_c::load_text("fuzz.i", &text, DataModel::Lp64) else { return };
    let built = summa_transform::build(loaded.program, &BuildOptions::default());
    assert!(!matches!(built, Err(BuildError::Broken(_))));
});
