//! Every task of the public set parses without a diagnostic.

use summa_base::Interner;
use summa_syntax::SourceMap;
use summa_syntax::parse;
use summa_syntax::preprocess::{PreprocessOptions, load};

#[test]
fn every_task_parses() {
    let options = PreprocessOptions::default();
    let mut failures = Vec::new();
    for path in summa_testkit::task_files() {
        let mut source = SourceMap::new();
        let text = load(&path, &options).unwrap();
        let file = source.add(path.display().to_string(), text).unwrap();
        let (ast, diagnostics) = parse(&mut source, file, &mut Interner::new());
        for diagnostic in diagnostics {
            let place = source.locate_in_input(diagnostic.span);
            failures.push(format!("{}:{}: {}", place.file, place.line, diagnostic.message));
        }
        if ast.functions.is_empty() {
            failures.push(format!("{}: no function found", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
