//! Properties in the words of the software-verification competition.
//!
//! A property file has one `CHECK( init(main()), LTL(G ! call(reach_error())) )` per line; several lines are
//! one property only for memory safety. A property that no engine knows is read too: the answer is then
//! UNKNOWN with its name, not an error, since the file is fine.

use crate::property::{MemoryCheck, Property};
use std::fmt;

/// A property with the function it is about, as far as a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    pub property: Property,
    /// From `init(main())`; short names leave it open.
    pub entry: Option<String>,
    /// The user named no property: then an execution with undefined behaviour is a violation too.
    pub is_open: bool,
}

/// A line that is no property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The file, as the user named it.
    pub file: String,
    pub line: usize,
    pub text: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, text } = self;
        write!(
            f,
            "{file}:{line}: cannot understand `{text}`; a property looks like \
             `CHECK( init(main()), LTL(G ! call(reach_error())) )`"
        )
    }
}

/// Without a word about the function to start in.
impl From<Property> for Specification {
    fn from(property: Property) -> Self {
        Self { property, entry: None, is_open: false }
    }
}

impl Specification {
    /// Does it come from a property file, as in the competition? Then the rules of the competition hold too.
    pub fn is_from_file(&self) -> bool {
        self.entry.is_some()
    }

    pub fn default_specification() -> Self {
        Self { property: Property::default_property(), entry: None, is_open: true }
    }

    /// What a witness says in its metadata: the lines of a property file, in one line or broken anywhere, or
    /// only their formulas, each in a line.
    pub fn of_witness(text: &str) -> Result<Self, Malformed> {
        let compact = |text: &str| text.split_whitespace().collect::<String>();
        let whole = compact(text);
        let lines: Vec<String> = if whole.starts_with("CHECK(") {
            whole.split("CHECK(").skip(1).map(|check| format!("CHECK({check}")).collect()
        } else {
            let formulas = text.lines().map(compact).filter(|line| !line.is_empty());
            let bare = formulas.map(|line| match line.strip_prefix("LTL(") {
                Some(inner) => inner.strip_suffix(')').unwrap_or(inner).to_owned(),
                None => line,
            });
            bare.map(|formula| format!("CHECK(init(main()),LTL({formula}))")).collect()
        };
        let parsed = Self::parse("the specification of the witness", &lines.join("\n"))?;
        // A formula alone names no entry function.
        let entry = parsed.entry.filter(|_| whole.starts_with("CHECK("));
        Ok(Self { entry, ..parsed })
    }

    pub fn parse(file: &str, text: &str) -> Result<Self, Malformed> {
        let mut entry = None;
        let mut found = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            if compact.is_empty() {
                continue;
            }
            let malformed = || Malformed {
                file: file.to_owned(),
                line: number + 1,
                text: line.trim().chars().take(120).collect(),
            };
            let (function, property) = parse_line(&compact).ok_or_else(malformed)?;
            entry.get_or_insert_with(|| function.to_owned());
            found.push(property);
        }
        let missing = Malformed { file: file.to_owned(), line: 1, text: String::new() };
        Ok(Self { property: combine(found).ok_or(missing)?, entry, is_open: false })
    }
}

/// `CHECK(init(main()),LTL(…))` without blanks: the entry function and the property.
fn parse_line(compact: &str) -> Option<(&str, Property)> {
    if let Some(rest) = compact.strip_prefix("COVER(init(") {
        let (entry, _) = rest.split_once("()),FQL(")?;
        return Some((entry, Property::Unsupported("test coverage".to_owned())));
    }
    let rest = compact.strip_prefix("CHECK(init(")?.strip_suffix("))")?;
    let (entry, formula) = rest.split_once("()),LTL(")?;
    if entry.is_empty() {
        return None;
    }
    let property = match formula {
        "G!overflow" => Property::NoOverflow,
        // Our own words, where the competition has none.
        "G!division-by-zero" => Property::NoDivisionByZero,
        "G!shift" => Property::ValidShifts,
        "Gvalid-memcleanup" => Property::MemoryCleanup,
        "Fend" => Property::Unsupported("termination".to_owned()),
        "G!data-race" => Property::Unsupported("no-data-race".to_owned()),
        _ => {
            if let Some(function) = formula.strip_prefix("G!call(").and_then(|rest| rest.strip_suffix("())"))
            {
                Property::Unreachable { functions: vec![function.to_owned()], asserts: false }
            } else {
                let name = formula.strip_prefix('G')?;
                let check = MemoryCheck::ALL.into_iter().find(|check| check.name() == name);
                check.map_or_else(
                    || Property::Unsupported(formula.to_owned()),
                    |check| Property::MemorySafety(vec![check]),
                )
            }
        }
    };
    Some((entry, property))
}

/// The lines of a file as one property.
fn combine(found: Vec<Property>) -> Option<Property> {
    let mut all = found.into_iter();
    let first = all.next()?;
    Some(all.fold(first, |so_far, next| match (so_far, next) {
        (a, b) if a == b => a,
        (Property::MemorySafety(mut checks), Property::MemorySafety(more)) => {
            checks.extend(more);
            checks.sort_unstable();
            checks.dedup();
            Property::MemorySafety(checks)
        }
        (Property::Unreachable { mut functions, asserts }, Property::Unreachable { functions: more, .. }) => {
            functions.extend(more);
            Property::Unreachable { functions, asserts }
        }
        (a, b) => Property::Unsupported(format!("{} together with {}", a.name(), b.name())),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Specification, Malformed> {
        Specification::parse("p.prp", text)
    }

    #[test]
    fn the_files_of_the_competition_are_read() {
        let reach = parse("CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n").unwrap();
        assert_eq!(
            reach.property,
            Property::Unreachable { functions: vec!["reach_error".into()], asserts: false }
        );
        assert_eq!(reach.entry.as_deref(), Some("main"));
        let memory = parse(
            "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
             CHECK( init(main()), LTL(G valid-memtrack) )\n",
        );
        assert_eq!(memory.unwrap().property, Property::MemorySafety(MemoryCheck::ALL.to_vec()));
        let one = parse("CHECK( init(f()), LTL(G valid-deref) )").unwrap();
        assert_eq!((one.property.name(), one.entry.as_deref()), ("valid-deref", Some("f")));
        assert_eq!(parse("CHECK( init(main()), LTL(G ! overflow) )").unwrap().property, Property::NoOverflow);
        assert_eq!(
            parse("CHECK( init(main()), LTL(G valid-memcleanup) )").unwrap().property,
            Property::MemoryCleanup
        );
    }

    #[test]
    fn specifications_of_witnesses_have_many_spellings() {
        let name = |text: &str| {
            let read = Specification::of_witness(text).unwrap();
            (read.property.name().to_owned(), read.entry)
        };
        let main = Some("main".to_owned());
        for text in [
            "CHECK( init(main()), LTL(G ! call(reach_error())) )",
            "CHECK( init(main()),\n  LTL(G ! call(reach_error()))\n)\n",
            "CHECK(init(main()),LTL(G!call(reach_error())))",
        ] {
            assert_eq!(name(text), ("unreach-call".to_owned(), main.clone()), "{text}");
        }
        for text in ["G ! call(reach_error())", "LTL(G ! call(reach_error()))", " G!call( reach_error() )\n"]
        {
            assert_eq!(name(text), ("unreach-call".to_owned(), None), "{text}");
        }
        assert_eq!(name("G ! overflow").0, "no-overflow");
        let memory = "G valid-free\nG valid-deref\nG valid-memtrack\n";
        assert_eq!(name(memory), ("valid-memsafety".to_owned(), None));
        let memory = "CHECK( init(main()), LTL(G valid-free) ) CHECK( init(main()), LTL(G valid-deref) )";
        assert_eq!(name(memory), ("valid-memsafety".to_owned(), main));
        assert_eq!(name("F end").0, "termination");
        for text in ["", "CHECK(", "CHECK( init(main()) )", "call(reach_error())", "G ! call(a())\nsomething"]
        {
            assert!(Specification::of_witness(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_has_no_engine_keeps_its_name() {
        for (text, name) in [
            ("CHECK( init(main()), LTL(F end) )", "termination"),
            ("CHECK( init(main()), LTL(G ! data-race) )", "no-data-race"),
            ("COVER( init(main()), FQL(COVER EDGES(@CALL(__VERIFIER_error))) )", "test coverage"),
            ("CHECK( init(main()), LTL(G x -> F y) )", "Gx->Fy"),
            (
                "CHECK( init(main()), LTL(G ! overflow) )\nCHECK( init(main()), LTL(F end) )",
                "no-overflow together with termination",
            ),
        ] {
            assert_eq!(parse(text).unwrap().property, Property::Unsupported(name.into()), "{text}");
        }
    }

    #[test]
    fn nonsense_is_an_error_with_its_line() {
        for (text, at) in
            [("", 1), ("\nCHECK( init(main())", 2), ("hello", 1), ("CHECK(init(()),LTL(Fend))", 1)]
        {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line, at, "{text}");
        }
    }
}
