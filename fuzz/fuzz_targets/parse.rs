//! Any bytes go through lexer and parser: no panic, and every error points into the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use summa_base::Interner;
use summa_syntax::source::{SourceMap, decode};
use summa_syntax::parse;

fuzz_target!(|bytes: &[u8]| {
    let text = decode(bytes.to_vec());
    let length = text.len() as u32;
    let mut sources = SourceMap::new();
    let Ok(file) = sources.add("fuzz.i", text) else { return };
    let (_, diagnostics) = parse(&mut sources, file, &mut Interner::default());
    for diagnostic in diagnostics {
        assert!(diagnostic.span.lo <= diagnostic.span.hi && diagnostic.span.hi <= length + 1);
        let _ = (sources.locate(diagnostic.span).line, sources.snippet(diagnostic.span).marked);
    }
});
