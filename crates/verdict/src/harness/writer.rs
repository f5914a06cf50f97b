//! The text of a harness, part by part.

use super::referenced::referenced;
use super::{ASSUMPTION_CODE, Detected, EXIT_CODE, Fill, MESSAGE, OUT_OF_INPUTS_CODE};
use crate::constant;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use summa_base::IdSet;
use summa_c::tree::{FuncId, VarId, VarKind};
use summa_c::types::{Type, TypeId};
use summa_cfa::library::{Model, is_object_of_the_library, model};
use summa_cfa::{Cfa, ErrorKind, Op, environment};
use summa_interp::{AllocatedPart, InputRecord};

/// Where in the memory of the environment a value points, if it is a pointer.
fn environment_offset(value: &InputRecord) -> Option<u64> {
    let address = u64::try_from(value.bits).ok()?;
    environment::object_at(address).map(|_| address - environment::START)
}

pub(super) struct Writer<'a> {
    cfa: &'a Cfa,
    referenced: IdSet<FuncId>,
    body: String,
    pub(super) notes: Vec<String>,
    /// Symbols that are defined already; several functions of the program may stand for one.
    taken: BTreeSet<String>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(cfa: &'a Cfa) -> Self {
        let (body, notes, taken) = (String::new(), Vec::new(), BTreeSet::new());
        Self { cfa, referenced: referenced(cfa), body, notes, taken }
    }

    fn has_body(&self, function: FuncId) -> bool {
        self.cfa.automaton(function).is_some()
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.body.push_str(text.as_ref());
        self.body.push('\n');
    }

    /// The type with a name in it, if the harness can write it: structures are declared in the program only.
    fn declare(&self, ty: TypeId, name: &str) -> Option<String> {
        let program = &self.cfa.program;
        match *program.types.get(ty) {
            Type::Void | Type::Int(_) | Type::Float(_) => {
                Some(program.types.declare(ty, name, &program.names))
            }
            Type::Pointer(_) => Some(format!("void *{name}")),
            Type::Record(_) | Type::Array(..) | Type::Function(_) => None,
        }
    }

    fn result_type(&self, function: FuncId) -> Option<TypeId> {
        let program = &self.cfa.program;
        Some(program.types.function_type(program.functions[function].ty)?.result)
    }

    /// How the process ends, and the error functions that only the harness defines.
    pub(super) fn error(&mut self, kind: Detected) {
        self.line("extern long __write(int, const void *, unsigned long);");
        self.line("extern void _exit(int) __attribute__((noreturn)), exit(int) __attribute__((noreturn));");
        self.line("#define QUIET __attribute__((no_instrument_function))");
        self.line("");
        self.line("QUIET static void summa_end(const char *message, int code) {");
        self.line("  unsigned long length = 0;");
        self.line("  while (message[length]) length++;");
        self.line("  if (__write(2, message, length) < 0) code = 1;");
        self.line("  _exit(code);");
        self.line("}");
        self.line("");
        self.line("QUIET static void summa_error(void) {");
        self.line(format!("  summa_end(\"{MESSAGE}\\n\", {EXIT_CODE});"));
        self.line("}");
        let functions: Vec<FuncId> = self
            .cfa
            .edges
            .values()
            .filter_map(|edge| match edge.op {
                Op::Error { kind: ErrorKind::Call(function) } => Some(function),
                _ => None,
            })
            .collect();
        for function in functions {
            if self.has_body(function) || self.taken.contains(self.cfa.program.func_name(function)) {
                continue;
            }
            let action = match kind {
                Detected::Call(_) => "summa_error()",
                // The program ends, and what it did not free by then counts.
                Detected::Lost | Detected::Unfreed => "exit(1)",
                Detected::Assertion | Detected::Arithmetic(_) | Detected::Address => "_exit(1)",
            };
            self.define(function, "", action);
        }
    }

    /// `type name(parameters) { action; … }` for a function without a body; nothing if its result cannot be
    /// written.
    fn define(&mut self, function: FuncId, parameters: &str, action: &str) -> bool {
        let Some(result) = self.result_type(function) else { return false };
        let name = self.cfa.program.func_name(function).to_owned();
        let Some(head) = self.declare(result, &format!("{name}({parameters})")) else { return false };
        let returns = if self.cfa.program.types.is_void(result) { "" } else { " return 0;" };
        self.line(format!("QUIET {head} {{ {action};{returns} }}"));
        self.taken.insert(name);
        true
    }

    /// Memory of the environment, if a pointer leads there.
    pub(super) fn environment(&mut self, inputs: &[InputRecord]) {
        if inputs.iter().any(|value| environment_offset(value).is_some()) {
            let bytes = environment::SIZE * environment::COUNT;
            self.line(format!("static _Alignas(16) char summa_environment[{bytes}];"));
        }
    }

    pub(super) fn input_functions(
        &mut self,
        inputs: &BTreeMap<FuncId, Vec<&InputRecord>>,
    ) -> Result<(), String> {
        // Those that gave inputs come first, so that one without yields to them where both are one symbol.
        let (used, unused): (Vec<_>, Vec<_>) = inputs.iter().partition(|(_, values)| !values.is_empty());
        for (&function, values) in used.into_iter().chain(unused) {
            let name = self.cfa.program.func_name(function).to_owned();
            if self.taken.contains(&name) {
                if values.is_empty() {
                    continue;
                }
                return Err(format!("several functions that gave inputs are the symbol `{name}`"));
            }
            let result = self.result_type(function).unwrap_or(self.cfa.program.types.int);
            let Some(head) = self.declare(result, &format!("{name}()")) else {
                if values.is_empty() {
                    continue; // The linker leaves it out.
                }
                return Err(format!("the input function `{name}` returns a structure"));
            };
            let elements = self.declare(result, "const values[]").unwrap_or_default();
            let is_pointer = self.cfa.program.types.is_pointer(result);
            let cast = if is_pointer { "(void *)" } else { "" };
            self.line("");
            self.line(format!("QUIET {head} {{"));
            if values.is_empty() {
                self.line("  return 0;");
            } else {
                let written = |value: &&InputRecord| {
                    let distance = environment_offset(value).filter(|_| is_pointer);
                    let number = || format!("{cast}{}", constant::of_input(value));
                    distance.map_or_else(number, |at| format!("summa_environment + {at}"))
                };
                let list: Vec<String> = values.iter().map(written).collect();
                self.line("  static unsigned long next = 0;");
                self.line(format!("  static {elements} = {{"));
                for row in list.chunks(12) {
                    self.line(format!("    {},", row.join(", ")));
                }
                self.line("  };");
                self.line(format!(
                    "  if (next == {}) summa_end(\"summa: no input is left for {name}\\n\", \
                     {OUT_OF_INPUTS_CODE});",
                    values.len()
                ));
                self.line("  return values[next++];");
            }
            self.line("}");
            self.taken.insert(name);
        }
        Ok(())
    }

    /// Assumptions, assertions, and functions of which only calls are known.
    pub(super) fn primitives(&mut self, kind: Detected) {
        self.line("");
        let fails = if kind == Detected::Assertion { "summa_error()" } else { "_exit(1)" };
        let functions: Vec<FuncId> = self.cfa.program.functions.ids().collect();
        for function in functions {
            let name = self.cfa.program.func_name(function).to_owned();
            if self.has_body(function) || self.taken.contains(&name) || name.starts_with("__builtin_") {
                continue;
            }
            match model(&name) {
                Some(Model::Assume) => {
                    let action = format!(
                        "if (!condition) summa_end(\"summa: an assumption does not hold\\n\", \
                         {ASSUMPTION_CODE})"
                    );
                    self.define(function, "int condition", &action);
                }
                // `assert` is a macro where the header is included; then there is no function of this name.
                Some(Model::Assert) => {
                    self.define(function, "int condition", &format!("if (!condition) {fails}"));
                }
                Some(Model::AssertFail) if kind == Detected::Assertion => {
                    self.define(function, "", "summa_error()");
                }
                // Inputs have been defined already.
                Some(_) => {}
                // If the execution called it, the call had no effect.
                None if self.referenced.contains(function) => {
                    let head = self.body.len();
                    if self.define(function, "", "") {
                        self.body.insert_str(head, "__attribute__((weak)) ");
                    }
                }
                None => {}
            }
        }
    }

    /// A `main` that passes the recorded arguments, where there are any. True: the program's own is renamed.
    pub(super) fn entry(&mut self, arguments: &[&InputRecord]) -> Result<bool, String> {
        let (cfa, program) = (self.cfa, &self.cfa.program);
        let name = program.func_name(cfa.main).to_owned();
        let params = program.functions[cfa.main].params.clone();
        if name == "main" && params.is_empty() {
            return Ok(false);
        }
        let mut types = Vec::new();
        for &param in &params {
            let written = self.declare(program.vars[param].ty, "");
            types.push(
                written.ok_or_else(|| format!("a parameter of `{name}` is a structure"))?.trim().to_owned(),
            );
        }
        let given = if environment::is_hosted(program, cfa.main) {
            self.lists(arguments)
        } else {
            arguments.iter().map(|input| constant::of_input(input)).collect()
        };
        let value = |index: usize| given.get(index).map_or("0", String::as_str);
        let values: Vec<String> =
            types.iter().enumerate().map(|(index, ty)| format!("({ty}){}", value(index))).collect();
        let called = if name == "main" { "summa_program_main" } else { &name };
        let params = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
        self.line("");
        self.line(format!("extern int {called}({params});"));
        // `main` is renamed on the command line, in this file too.
        self.line("#undef main");
        self.line(format!("QUIET int main(void) {{ {called}({}); return 0; }}", values.join(", ")));
        Ok(name == "main" || program.find_function("main").is_some_and(|other| self.has_body(other)))
    }

    /// The arguments of `main`: a number and lists of strings, in the order in which the automata make them
    /// (`cfa/build/arguments.rs`). A list that was not made is null.
    fn lists(&mut self, arguments: &[&InputRecord]) -> Vec<String> {
        let cfa = self.cfa;
        let mut inputs = arguments.iter().map(|input| input.request.scalar.to_int(input.bits));
        let mut next = || inputs.next().unwrap_or(0);
        let passed = cfa.edges.values().find_map(|edge| match &edge.op {
            Op::Call { callee, args, .. } if *callee == cfa.main => Some(args),
            _ => None,
        });
        let is_made = |arg| cfa.program.exprs.as_int(arg).is_none();
        let made: Vec<bool> = passed.into_iter().flatten().skip(1).map(|&arg| is_made(arg)).collect();
        let (first, mut values) = (next(), Vec::new());
        values.push(first.to_string());
        for (position, is_made) in made.into_iter().enumerate() {
            if !is_made {
                values.push("0".to_owned());
                continue;
            }
            let count = if position == 0 { first } else { next() };
            let mut names = Vec::new();
            for number in 0..count {
                let length = next();
                let mut bytes: Vec<String> = (0..length).map(|_| next().to_string()).collect();
                bytes.push("0".to_owned());
                let name = format!("summa_argument_{position}_{number}");
                self.line(format!("static char {name}[] = {{{}}};", bytes.join(", ")));
                names.push(name);
            }
            names.push("0".to_owned());
            self.line(format!("static char *summa_arguments_{position}[] = {{{}}};", names.join(", ")));
            values.push(format!("summa_arguments_{position}"));
        }
        values
    }

    /// Detects an error that is not a call of a function defined here.
    pub(super) fn detector(&mut self, kind: Detected) {
        match kind {
            Detected::Call(function) if self.has_body(function) => {
                let name = self.cfa.program.func_name(function).to_owned();
                self.line("");
                self.line(format!("extern void {name}(void);"));
                self.line("QUIET void __cyg_profile_func_enter(void *function, void *site) {");
                self.line(format!("  if (function == (void *){name}) summa_error();"));
                self.line("}");
                self.line("QUIET void __cyg_profile_func_exit(void *function, void *site) {}");
            }
            Detected::Arithmetic(_) => {
                self.line("");
                self.line("void __ubsan_on_report(void) { summa_error(); }");
            }
            Detected::Address | Detected::Lost => {
                self.line("");
                let leaks = u8::from(kind == Detected::Lost);
                let options = format!(
                    "exitcode={EXIT_CODE}:detect_leaks={leaks}:use_stacks=0:use_registers=0:\
                     detect_stack_use_after_return=1:allocator_may_return_null=1"
                );
                self.line(format!("const char *__asan_default_options(void) {{ return \"{options}\"; }}"));
                self.line(format!("const char *__lsan_default_options(void) {{ return \"{options}\"; }}"));
                if kind == Detected::Address {
                    self.line("void __asan_on_error(void) { summa_error(); }");
                } else {
                    self.line("extern int __lsan_do_recoverable_leak_check(void);");
                    self.line("QUIET __attribute__((destructor)) static void summa_at_end(void) {");
                    self.line("  if (__lsan_do_recoverable_leak_check()) summa_error();");
                    self.line("}");
                }
            }
            Detected::Call(_) | Detected::Assertion | Detected::Unfreed => {}
        }
    }

    /// Filled allocation, if the execution read what was never written; and a count of what is not freed.
    pub(super) fn allocation(
        &mut self,
        kind: Detected,
        fill: Option<Fill>,
        contents: &[(AllocatedPart, &InputRecord)],
        failures: &[bool],
    ) {
        let byte = fill.unwrap_or(Fill::Zero).byte();
        if kind == Detected::Unfreed || fill.is_some() || !failures.is_empty() {
            self.line("");
            self.line("typedef __SIZE_TYPE__ size;");
            self.failures(failures);
            self.line("static long summa_objects = 0;");
            self.contents(contents);
            self.line("extern void *__real_malloc(size);");
            self.line("QUIET void *__wrap_malloc(size n) {");
            self.line("  unsigned char *object = summa_fails() ? 0 : __real_malloc(n);");
            self.line(format!("  for (size at = 0; object && at < n; at++) object[at] = {byte};"));
            if !contents.is_empty() {
                self.line("  summa_fill(object, object ? n : 0);");
            }
            self.line("  summa_objects += !!object;");
            self.line("  return object;");
            self.line("}");
        }
        if kind == Detected::Unfreed || !failures.is_empty() {
            for line in [
                "extern void *__real_calloc(size, size), *__real_realloc(void *, size);",
                "QUIET void *__wrap_calloc(size m, size n) {",
                "  if (summa_fails()) return 0;",
                "  summa_objects++;",
                "  return __real_calloc(m, n);",
                "}",
                "QUIET void *__wrap_realloc(void *p, size n) {",
                "  if (summa_fails()) return 0;",
                "  summa_objects += !p;",
                "  return __real_realloc(p, n);",
                "}",
            ] {
                self.line(line);
            }
        }
        if !failures.is_empty() {
            for line in [
                "extern char *__real_strdup(const char *);",
                "QUIET char *__wrap_strdup(const char *s) {",
                "  if (summa_fails()) return 0;",
                "  summa_objects++;",
                "  return __real_strdup(s);",
                "}",
            ] {
                self.line(line);
            }
        }
        if kind == Detected::Unfreed {
            for line in [
                "extern void __real_free(void *);",
                "QUIET void __wrap_free(void *p) { summa_objects -= !!p; __real_free(p); }",
                "QUIET __attribute__((destructor)) static void summa_at_end(void) { if (summa_objects) \
                 summa_error(); }",
            ] {
                self.line(line);
            }
        }
    }

    /// Which allocations fail, in the order of the calls; those behind the last do not.
    fn failures(&mut self, failures: &[bool]) {
        let list: Vec<&str> = failures.iter().map(|&fails| if fails { "1" } else { "0" }).collect();
        if list.is_empty() {
            return self.line("#define summa_fails() 0");
        }
        self.line(format!("static const unsigned char summa_failures[] = {{{}}};", list.join(", ")));
        self.line("QUIET static int summa_fails(void) {");
        self.line("  static size next = 0;");
        self.line("  return next < sizeof summa_failures && summa_failures[next++];");
        self.line("}");
    }

    /// What the execution found in allocated memory: by the number of the allocation.
    fn contents(&mut self, contents: &[(AllocatedPart, &InputRecord)]) {
        if contents.is_empty() {
            return;
        }
        let pointer = self.cfa.program.types.model.pointer_size() as usize;
        self.line("static const struct summa_part {");
        self.line("  unsigned allocation, bytes; size offset; unsigned long long bits; const void *pointer;");
        self.line("} summa_parts[] = {");
        for (AllocatedPart { allocation, offset }, input) in contents {
            let bytes = input.request.scalar.bytes();
            let target = environment_offset(input).filter(|_| bytes == pointer);
            if let Some(at) = target {
                self.line(format!("  {{{allocation}, {bytes}, {offset}, 0, summa_environment + {at}}},"));
                continue;
            }
            for from in (0..bytes).step_by(8) {
                let (bits, bytes) = ((input.bits >> (8 * from)) as u64, (bytes - from).min(8));
                let offset = offset + from as u64;
                self.line(format!("  {{{allocation}, {bytes}, {offset}, {bits:#x}ULL, 0}},"));
            }
        }
        for line in [
            "};",
            "QUIET static void summa_fill(unsigned char *object, size n) {",
            "  static unsigned allocation = 0;",
            "  for (size i = 0; i < sizeof summa_parts / sizeof *summa_parts; i++) {",
            "    const struct summa_part *part = &summa_parts[i];",
            "    const unsigned char *from = (const unsigned char *)&part->bits;",
            "    if (part->pointer) from = (const unsigned char *)&part->pointer;",
            "    if (part->allocation != allocation) continue;",
            "    for (size k = 0; k < part->bytes && part->offset + k < n; \
             k++) object[part->offset + k] = from[k];",
            "  }",
            "  allocation++;",
            "}",
        ] {
            self.line(line);
        }
    }

    /// Storage for what no file defines, unless the C library does. It holds what the execution found there:
    /// of aggregates only zero can be said, since the inputs leave out their padding.
    pub(super) fn external_objects(&mut self, found: &BTreeMap<VarId, Vec<&InputRecord>>) {
        let program = &self.cfa.program;
        let mut lines = Vec::new();
        for (var, variable) in program.vars.iter().filter(|(_, variable)| variable.kind == VarKind::External)
        {
            let name = program.name(variable.name);
            if is_object_of_the_library(name) {
                continue;
            }
            let size = program.types.size_of(variable.ty).unwrap_or(4096).max(1);
            let inputs = found.get(&var).map_or(&[][..], Vec::as_slice);
            let value = match inputs {
                _ if inputs.iter().all(|input| input.bits == 0) => String::new(),
                [input] if input.request.scalar.bytes() as u64 == size => {
                    let bytes = input.bits.to_le_bytes().into_iter().take(input.request.scalar.bytes());
                    format!(" = {{{}}}", bytes.map(|byte| byte.to_string()).collect::<Vec<_>>().join(", "))
                }
                _ => {
                    self.notes.push(format!(
                        "`{name}` is defined elsewhere and is zero here, which it was not in the execution: \
                         the program may do something else"
                    ));
                    String::new()
                }
            };
            lines.push(format!("__attribute__((weak, aligned(16))) unsigned char {name}[{size}]{value};"));
        }
        for line in lines {
            self.line(line);
        }
    }

    pub(super) fn finish(&self, command: &str) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "/* Written by summa: the inputs of an execution that violates the property.");
        let _ = writeln!(text, " *\n * Compile and run:\n *   {}", command.replace("*/", "* /"));
        let _ = writeln!(text, " *\n * It prints \"{MESSAGE}\" and ends with exit code {EXIT_CODE}.");
        for note in &self.notes {
            let _ = writeln!(text, " *\n * Note: {note}.");
        }
        text.push_str(" */\n");
        text.push_str(&self.body);
        text
    }
}
