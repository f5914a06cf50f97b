//! Descriptions of library functions against what the interpreter does with random arguments.
//!
//! Every object that a call gets a pointer to is exactly as long as the description says, and holds nothing
//! but what the call may read: an access behind that, or a read of anything else, ends the run. An object
//! that is one byte shorter must end it, where the description is exact. Bytes that the call may not write
//! are compared with those before it, and its result with what the description says.
//!
//! Limits: variadic lists are not looked at, they belong to the library.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;
use summa_c::tree::VarId;
use summa_c::types::DataModel;
use summa_cfa::library::{Description, Digits, Extent, Family, LibFn, Math, Returned, Size, modelled};
use summa_cfa::{Cfa, EdgeId, Op};
use summa_interp::{End, ObjectOrigin, Observer, Pointer, Policy, Program, Value, View, Zeros, run_observed};
use summa_testkit::Random;

const DECLARATIONS: &str = "
void *memchr(const void *, int, size_t); size_t strnlen(const char *, size_t);
char *strncat(char *, const char *, size_t); int strncmp(const char *, const char *, size_t);
char *strrchr(const char *, int); size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *); char *strpbrk(const char *, const char *);
int fprintf(void *, const char *, ...); int putchar(int); long strtol(const char *, char **, int);
";

/// What is passed for one parameter.
enum Argument {
    Number(i128),
    Real(f64),
    /// A pointer to memory with this content, of which the object has only a part.
    Memory(Vec<u8>),
}

struct Call {
    name: &'static str,
    function: LibFn,
    description: Description,
    args: Vec<Argument>,
}

impl Call {
    fn random(name: &'static str, function: LibFn, random: &mut Random) -> Self {
        let description = function.description();
        let is_character = |position: usize| {
            let is_wanted = |&(_, extent): &(usize, Extent)| match extent {
                Extent::Search { wanted, .. } => wanted == position,
                _ => false,
            };
            description.reads.iter().any(is_wanted)
                || matches!(function, LibFn::Memset | LibFn::Strchr | LibFn::Strrchr) && position == 1
        };
        let mut args = Vec::new();
        for (position, class) in description.parameters.trim_end_matches('.').chars().enumerate() {
            args.push(match class {
                'i' if function.family() == Family::Character => {
                    Argument::Number(random.between(-1, 255).into())
                }
                'i' if is_character(position) => Argument::Number(i128::from(*random.pick(b"abc\0"))),
                'i' => Argument::Number(random.between(1, 6).into()),
                'p' if description.format == Some(position) => Argument::Memory(b"%d-%s!\0".to_vec()),
                'p' => Argument::Memory(text(random)),
                'f' => Argument::Real(random.between(-2000, 2000) as f64 / 16.0),
                other => panic!("{name}: no argument of class {other}"),
            });
        }
        if description.format.is_some() {
            args.push(Argument::Number(random.between(-1000, 1000).into()));
            args.push(Argument::Memory(text(random)));
        }
        Self { name, function, description, args }
    }

    fn number(&self, position: usize) -> u64 {
        match self.args[position] {
            Argument::Number(number) => u64::try_from(number).expect("it is not negative"),
            _ => panic!("{}: no number", self.name),
        }
    }

    fn memory(&self, position: usize) -> &[u8] {
        match &self.args[position] {
            Argument::Memory(bytes) => bytes,
            _ => panic!("{}: no memory", self.name),
        }
    }

    /// With the terminator.
    fn text(&self, position: usize) -> u64 {
        1 + self.memory(position).iter().position(|&byte| byte == 0).expect("a terminator") as u64
    }

    fn bytes(&self, position: usize, extent: Extent) -> u64 {
        let up_to = |bytes: u64, most: Option<usize>| most.map_or(bytes, |most| bytes.min(self.number(most)));
        let compared = |stops: &dyn Fn(u8, u8) -> bool| {
            let pairs = self.memory(0).iter().zip(self.memory(1));
            1 + pairs.take_while(|&(&a, &b)| !stops(a, b)).count() as u64
        };
        match extent {
            Extent::Bytes(size) => self.number(size),
            Extent::Search { wanted, most } => {
                let found =
                    self.memory(position).iter().position(|&byte| u64::from(byte) == self.number(wanted));
                up_to(found.map_or(u64::MAX, |found| found as u64 + 1), Some(most))
            }
            Extent::Text | Extent::Prefix => self.text(position),
            Extent::TextUpTo(most) => up_to(self.text(position), Some(most)),
            Extent::CopyOf(from) => self.text(from),
            Extent::Appended { from, most } => self.text(position) + up_to(self.text(from) - 1, most),
            Extent::ComparedBytes(most) => up_to(compared(&|a, b| a != b), Some(most)),
            Extent::ComparedText(most) => up_to(compared(&|a, b| a != b || a == 0), most),
            Extent::Printed(most) => {
                let (Argument::Number(number), text) = (&self.args[self.args.len() - 2], self.args.len() - 1)
                else {
                    panic!("{}: no number is printed", self.name)
                };
                up_to((number.to_string().len() + "-!".len()) as u64 + self.text(text), most)
            }
            Extent::ValueLike(_) => 8,
            Extent::Int => 4,
            Extent::Object => self.memory(position).len() as u64,
        }
    }

    /// How much is read and written behind an argument, and whether the larger of both is exact.
    fn accesses(&self, position: usize) -> (u64, u64, bool) {
        let is_exact = |extent| {
            !matches!(
                extent,
                Extent::Object | Extent::Prefix | Extent::ComparedBytes(_) | Extent::ComparedText(_)
            )
        };
        let of = |list: &[(usize, Extent)]| {
            let own = list.iter().find(|access| access.0 == position);
            own.map_or((0, false), |&(_, extent)| (self.bytes(position, extent), is_exact(extent)))
        };
        let (read, written) = (of(self.description.reads), of(self.description.writes));
        let is_printed = self.description.format.is_some_and(|format| position > format)
            && matches!(self.args[position], Argument::Memory(_));
        let read = if is_printed { (self.text(position), true) } else { read };
        (read.0, written.0, if read.0 > written.0 { read.1 } else { written.1 })
    }

    /// Of functions on floating-point numbers, which the other declarations leave out.
    fn declaration(&self) -> String {
        if self.function.family() != Family::Real || self.name.starts_with("__builtin_") {
            return String::new();
        }
        let result = match self.description.returned {
            Returned::Real => "double",
            _ if self.name.starts_with('l') => "long",
            _ => "int",
        };
        let parameters: Vec<&str> = self
            .description
            .parameters
            .chars()
            .map(|class| match class {
                'f' => "double",
                'i' => "int",
                _ if self.function == LibFn::Math(Math::Frexp) => "int *",
                _ => "double *",
            })
            .collect();
        format!("{result} {}({});", self.name, parameters.join(", "))
    }

    /// A program that makes the call and then runs `after`. The object behind the argument `short` lacks a
    /// byte.
    fn program(&self, short: Option<usize>, after: &str) -> String {
        let (mut before, mut passed) = (String::new(), Vec::new());
        for (position, arg) in self.args.iter().enumerate() {
            match arg {
                Argument::Number(number) => passed.push(number.to_string()),
                // The front end computes with constants.
                Argument::Real(number) => {
                    let _ = writeln!(before, "double x{position} = {number:?};");
                    passed.push(format!("x{position}"));
                }
                Argument::Memory(bytes) => {
                    let (read, written, _) = self.accesses(position);
                    let size = read.max(written).max(1) - u64::from(short == Some(position));
                    let name = format!("b{position}");
                    let is_freed = self.description.frees == Some(position);
                    let _ = if is_freed {
                        writeln!(before, "unsigned char *{name} = malloc({size});")
                    } else {
                        writeln!(before, "unsigned char {name}[{size}];")
                    };
                    for (i, byte) in bytes.iter().enumerate().take(read.min(size) as usize) {
                        let _ = writeln!(before, "{name}[{i}] = {byte};");
                    }
                    passed.push(format!("(void *){name}"));
                }
            }
            if matches!(self.function, LibFn::ParseInteger(_)) && position == 0 {
                passed.push("0".to_owned());
            }
        }
        let result = match self.description.returned {
            Returned::Nothing => "",
            Returned::Number(_) | Returned::Bits(_) => "long r = ",
            Returned::Real => "double r = ",
            _ => "unsigned char *r = ",
        };
        let call = format!("{result}{}({});", self.name, passed.join(", "));
        format!(
            "{DECLARATIONS}{}\nint main(void) {{\n{before}{call}\n{after}\nreturn 0; }}",
            self.declaration()
        )
    }
}

/// Some characters with a terminator soon, and more behind it.
fn text(random: &mut Random) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..12).map(|_| *random.pick(b"abc")).collect();
    bytes[random.below(7)] = 0;
    bytes
}

/// Looks at the bytes around the call, and at its result.
struct Watch<'a> {
    call: &'a Call,
    cfa: &'a Cfa,
    before: Vec<(VarId, u64, Value)>,
    seen: usize,
}

impl Watch<'_> {
    fn is_call(&self, edge: EdgeId) -> bool {
        matches!(self.cfa.edge(edge).op, Op::Library { model, .. } if model == self.call.function)
    }

    fn buffer(&self, position: usize) -> Option<VarId> {
        let name = format!("b{position}");
        self.cfa.program.vars.ids().find(|&var| self.cfa.program.var_name(var) == name)
    }

    fn result(&self, view: &View<'_>, edge: EdgeId, result: &Value) {
        let name = self.call.name;
        let of_argument = |i: usize, most: u64| {
            let Value::Pointer(Pointer::Object { origin, offset }) = result else { return false };
            *origin == ObjectOrigin::Variable(self.buffer(i).expect("a buffer"))
                && (0..=most as i64).contains(offset)
        };
        let fits = match self.call.description.returned {
            Returned::Nothing => false,
            Returned::Number(values) => match (values.range(&view.cfa().program.types), result) {
                (Some((least, most)), &Value::Int(number)) => (least..=most).contains(&number),
                _ => true,
            },
            Returned::Argument(i) => of_argument(i, 0),
            Returned::Inside(i) => {
                *result == Value::Pointer(Pointer::Null) || of_argument(i, self.call.accesses(i).0)
            }
            Returned::Fresh(_) | Returned::Moved { .. } => {
                let origin = ObjectOrigin::Allocation(edge);
                *result == Value::Pointer(Pointer::Object { origin, offset: 0 })
            }
            Returned::Bits(_) | Returned::Real | Returned::Scalar | Returned::Variadic(_) => true,
        };
        assert!(fits, "{name} returned {result:?}");
    }
}

impl Observer for Watch<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        if !self.is_call(edge) {
            return;
        }
        let char = self.cfa.program.types.char;
        for (position, arg) in self.call.args.iter().enumerate() {
            let (Argument::Memory(_), (read, written, _)) = (arg, self.call.accesses(position)) else {
                continue;
            };
            let Some((var, address)) = self.buffer(position).and_then(|var| Some((var, view.address(var)?)))
            else {
                continue;
            };
            let kept = (written..read).map(|at| (var, at, view.at(address + at, char)));
            self.before.extend(kept);
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        let Op::Library { result, .. } = &self.cfa.edge(edge).op else { return };
        if !self.is_call(edge) {
            return;
        }
        self.seen += 1;
        for (var, at, old) in self.before.drain(..) {
            let address = view.address(var).expect("an object") + at;
            assert_eq!(
                view.at(address, self.cfa.program.types.char),
                old,
                "{} wrote byte {at}",
                self.call.name
            );
        }
        if let Some(place) = *result {
            self.result(view, edge, &view.place(place));
        }
    }
}

/// How the program ends, and how often the call was made.
fn end(call: &Call, short: Option<usize>, after: &str) -> (End, usize, String) {
    let text = call.program(short, after);
    let cfa = common::cfa(DataModel::Lp64, &text);
    let mut watch = Watch { call, cfa: &cfa, before: Vec::new(), seen: 0 };
    let policy = Policy { check_leaks: false, ..Policy::strict() };
    let outcome = run_observed(&Program::new(&cfa), &mut Zeros, &policy, &mut watch);
    (outcome.end, watch.seen, text)
}

#[test]
fn accesses_and_results_are_those_of_the_descriptions() {
    let (mut tested, mut called) = (BTreeSet::new(), 0);
    let all = modelled().chain([("strtol", LibFn::ParseInteger(Digits::Long))]);
    for (name, function) in all {
        if function.family() == Family::Variadic || !tested.insert(format!("{function:?}")) {
            continue;
        }
        for seed in 0..12 {
            let call = Call::random(name, function, &mut Random::new(seed));
            let (reached, seen, text) = end(&call, None, "");
            // The front end makes expressions of some builtins.
            let is_expression = seen == 0 && matches!(function.family(), Family::Integer | Family::Real);
            assert!(
                reached == End::Returned(0) && (seen == 1 || is_expression),
                "{reached:?}, {seen}\n{text}"
            );
            called += usize::from(seed == 0 && seen == 1);
            if seed >= 4 {
                continue;
            }
            for position in 0..call.args.len() {
                if !matches!(call.args[position], Argument::Memory(_)) {
                    continue;
                }
                let (read, written, is_exact) = call.accesses(position);
                if is_exact && read.max(written) > 1 {
                    let (reached, _, text) = end(&call, Some(position), "");
                    assert!(matches!(reached, End::Fault(_)), "{reached:?}\n{text}");
                }
                if call.description.frees == Some(position) {
                    let (reached, _, text) = end(&call, None, &format!("b{position}[0] = 1;"));
                    assert!(matches!(reached, End::Fault(_)), "{reached:?}\n{text}");
                }
            }
            fresh_object(&call);
        }
    }
    assert!(called >= 100, "only {called} of {} functions were called", tested.len());
}

/// A new object has the size and content of the description.
fn fresh_object(call: &Call) {
    let Some(fresh) = call.description.fresh() else { return };
    let size = match fresh.size {
        Size::Argument(i) => call.number(i),
        Size::Product(i, j) => call.number(i) * call.number(j),
        Size::Text(i) => call.text(i),
    };
    let (reached, _, text) = end(call, None, &format!("r[{size} - 1] = 1;"));
    assert_eq!(reached, End::Returned(0), "{text}");
    let (reached, _, text) = end(call, None, &format!("r[{size}] = 1;"));
    assert!(matches!(reached, End::Fault(_)), "{reached:?}\n{text}");
    if fresh.is_zeroed {
        let (reached, _, text) = end(call, None, "if (r[0] != 0) abort();");
        assert_eq!(reached, End::Returned(0), "{text}");
    }
}
