//! What is to be verified: property files of the software-verification competition, and short names for the same.
//!
//! A property file has one `CHECK( init(main()), LTL(G ! call(reach_error())) )` per line; several lines are one
//! property only for memory safety. A property that no engine knows is read too: the answer is then UNKNOWN with its
//! name, not an error, since the file is fine.

use std::fmt;
use std::path::Path;
use summa_base::files;
use summa_base::plain::Shown;
use summa_cfa::{Checks, ErrorKind};

/// The functions whose call is the error if the user names none.
pub(crate) const DEFAULT_ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    /// No call of one of these functions is reachable; with `asserts`, no failing assertion either.
    Unreachable { functions: Vec<String>, asserts: bool },
    /// No signed arithmetic overflows.
    NoOverflow,
    /// No integer is divided by zero.
    NoDivisionByZero,
    /// The amount of every shift is less than the width of the type, and what is shifted to the left is not negative
    /// and loses no bits.
    ValidShifts,
    /// Memory is used as these say; never empty.
    MemorySafety(Vec<MemoryCheck>),
    /// All memory is freed at the end of the program.
    MemoryCleanup,
    /// A property without an engine, by its name.
    Unsupported(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MemoryCheck {
    Free,
    Deref,
    /// Every live object stays reachable from a pointer.
    Track,
}

impl MemoryCheck {
    const ALL: [Self; 3] = [Self::Free, Self::Deref, Self::Track];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Free => "valid-free",
            Self::Deref => "valid-deref",
            Self::Track => "valid-memtrack",
        }
    }
}

/// A property with the function it is about, as far as a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Specification {
    pub(crate) property: Property,
    /// From `init(main())`; short names leave it open.
    pub(crate) entry: Option<String>,
    /// Nothing was asked: then an execution that ran into undefined behaviour is a violation too.
    pub(crate) is_open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PropertyError {
    /// Neither a known name nor a file: a mistake on the command line.
    NoSuchProperty(String),
    Unreadable(String),
    Malformed {
        file: String,
        line: usize,
        text: String,
    },
}

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchProperty(name) => write!(
                f,
                "`{name}` is neither a property file nor one of: unreach-call, no-overflow, division-by-zero, shift, \
                 valid-memsafety, valid-deref, valid-free, valid-memtrack, valid-memcleanup, termination, no-data-race"
            ),
            Self::Unreadable(message) => f.write_str(message),
            Self::Malformed { file, line, text } => write!(
                f,
                "{file}:{line}: cannot understand `{text}`; a property looks like \
                 `CHECK( init(main()), LTL(G ! call(reach_error())) )`"
            ),
        }
    }
}

impl Property {
    /// No error function is called and no assertion fails: what is checked when nothing else is said.
    pub(crate) fn default_property() -> Self {
        Self::Unreachable { functions: DEFAULT_ERROR_FUNCTIONS.map(str::to_owned).to_vec(), asserts: true }
    }

    /// The name that competitions and their tools use.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Unreachable { .. } => "unreach-call",
            Self::NoOverflow => "no-overflow",
            Self::NoDivisionByZero => "division-by-zero",
            Self::ValidShifts => "shift",
            Self::MemorySafety(checks) => match checks.as_slice() {
                [only] => only.name(),
                _ => "valid-memsafety",
            },
            Self::MemoryCleanup => "valid-memcleanup",
            Self::Unsupported(name) => name,
        }
    }

    /// In words.
    pub(crate) fn describe(&self, entry: &str) -> String {
        match self {
            Self::Unreachable { functions, asserts } => {
                let asserts = if *asserts { " and no failing assertion" } else { "" };
                format!("no call of {}{asserts} is reachable from {entry}", functions.join(" or "))
            }
            Self::NoOverflow => "no signed integer arithmetic overflows".to_owned(),
            Self::NoDivisionByZero => "no integer is divided by zero".to_owned(),
            Self::ValidShifts => "every shift is defined".to_owned(),
            Self::MemorySafety(checks) => {
                let words = checks.iter().map(|check| match check {
                    MemoryCheck::Free => "every free is valid",
                    MemoryCheck::Deref => "every dereference is valid",
                    MemoryCheck::Track => "no allocated memory is lost",
                });
                words.collect::<Vec<_>>().join(", ")
            }
            Self::MemoryCleanup => "all allocated memory is freed at the end".to_owned(),
            Self::Unsupported(name) => name.clone(),
        }
    }

    /// The checks that turn the property into reachability of errors; none for properties that are reachability
    /// already, or that no check stands for.
    pub(crate) fn checks(&self) -> Checks {
        match self {
            Self::NoOverflow => Checks::OVERFLOW,
            Self::NoDivisionByZero => Checks::DIVISION,
            Self::ValidShifts => Checks::SHIFT,
            Self::Unreachable { .. } | Self::MemorySafety(_) | Self::MemoryCleanup | Self::Unsupported(_) => {
                Checks::NONE
            }
        }
    }

    /// Is the property that certain errors of the automata cannot be reached?
    pub(crate) fn is_reachability(&self) -> bool {
        matches!(self, Self::Unreachable { .. }) || self.checks() != Checks::NONE
    }

    /// May a witness of the one speak about the other? Parts of memory safety have witnesses of the whole, and calls of one error function
    /// are among those of several.
    pub(crate) fn is_of_the_kind_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unreachable { functions, .. }, Self::Unreachable { functions: others, .. }) => {
                functions.iter().any(|function| others.contains(function))
            }
            (Self::MemorySafety(checks), Self::MemorySafety(others)) => {
                checks.iter().any(|check| others.contains(check))
            }
            (a, b) => a == b,
        }
    }

    /// Does reaching such an error violate the property?
    pub(crate) fn is_violated_by(&self, kind: ErrorKind) -> bool {
        match (self, kind) {
            (Self::Unreachable { .. }, ErrorKind::Call(_)) => true,
            (Self::Unreachable { asserts, .. }, ErrorKind::Assertion) => *asserts,
            _ => kind.is_checked_by(self.checks()),
        }
    }
}

impl Specification {
    /// Do a file's words say it, as in the competition? Then its rules hold too.
    pub(crate) fn is_from_file(&self) -> bool {
        self.entry.is_some()
    }

    pub(crate) fn default_specification() -> Self {
        Self { property: Property::default_property(), entry: None, is_open: true }
    }

    /// From the argument of `--property`: a short name, else the path of a property file.
    pub(crate) fn from_argument(argument: &str) -> Result<Self, PropertyError> {
        if let Some(property) = by_name(argument) {
            return Ok(Self { property, entry: None, is_open: false });
        }
        let path = Path::new(argument);
        if path.extension().is_none() && !path.exists() {
            return Err(PropertyError::NoSuchProperty(argument.to_owned()));
        }
        Self::from_file(path)
    }

    pub(crate) fn from_file(path: &Path) -> Result<Self, PropertyError> {
        let file = path.shown().to_string();
        match files::read_text(path, files::SMALL) {
            Ok(text) => Self::parse(&file, &text),
            Err(error) => {
                Err(PropertyError::Unreadable(format!("cannot read the property file `{file}`: {error}")))
            }
        }
    }

    /// What a witness says in its metadata: the lines of a property file, in one line or broken anywhere, or only their formulas, each in a
    /// line.
    pub(crate) fn of_witness(text: &str) -> Result<Self, PropertyError> {
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

    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, PropertyError> {
        let mut entry = None;
        let mut found = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            if compact.is_empty() {
                continue;
            }
            let malformed = || PropertyError::Malformed {
                file: file.to_owned(),
                line: number + 1,
                text: line.trim().chars().take(120).collect(),
            };
            let (function, property) = parse_line(&compact).ok_or_else(malformed)?;
            entry.get_or_insert_with(|| function.to_owned());
            found.push(property);
        }
        let missing = PropertyError::Malformed { file: file.to_owned(), line: 1, text: String::new() };
        Ok(Self { property: combine(found).ok_or(missing)?, entry, is_open: false })
    }
}

/// A short name for what a property file says.
fn by_name(name: &str) -> Option<Property> {
    Some(match name {
        "unreach-call" | "assert" => Property::default_property(),
        "no-overflow" | "overflow" => Property::NoOverflow,
        "division-by-zero" | "no-div-zero" | "no-division-by-zero" => Property::NoDivisionByZero,
        "shift" | "shifts" => Property::ValidShifts,
        "valid-memsafety" | "memsafety" | "memory-safety" => {
            Property::MemorySafety(MemoryCheck::ALL.to_vec())
        }
        "valid-memcleanup" | "memcleanup" => Property::MemoryCleanup,
        "termination" | "no-data-race" => Property::Unsupported(name.to_owned()),
        _ => Property::MemorySafety(vec![MemoryCheck::ALL.into_iter().find(|check| check.name() == name)?]),
    })
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

    fn parse(text: &str) -> Result<Specification, PropertyError> {
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
    fn properties_of_arithmetic_are_checks() {
        for (name, checks, error) in [
            ("no-overflow", Checks::OVERFLOW, ErrorKind::Overflow),
            ("no-overflow", Checks::OVERFLOW, ErrorKind::ShiftOverflow),
            ("division-by-zero", Checks::DIVISION, ErrorKind::DivisionByZero),
            ("shift", Checks::SHIFT, ErrorKind::BadShift),
            ("shift", Checks::SHIFT, ErrorKind::ShiftOverflow),
            ("shift", Checks::SHIFT, ErrorKind::NegativeShift),
        ] {
            let property = Specification::from_argument(name).unwrap().property;
            assert_eq!((property.name(), property.checks()), (name, checks));
            assert!(property.is_reachability() && property.is_violated_by(error));
            assert!(!property.is_violated_by(ErrorKind::Assertion));
            assert!(!Property::default_property().is_violated_by(error));
        }
        let memory = Property::MemorySafety(MemoryCheck::ALL.to_vec());
        assert!(!memory.is_reachability() && memory.checks() == Checks::NONE);
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
            assert!(
                matches!(error, PropertyError::Malformed { line, .. } if line == at),
                "{text}: {error:?}"
            );
        }
        assert!(matches!(Specification::from_argument("unreach"), Err(PropertyError::NoSuchProperty(_))));
        assert!(matches!(Specification::from_argument("no/such.prp"), Err(PropertyError::Unreadable(_))));
    }
}
