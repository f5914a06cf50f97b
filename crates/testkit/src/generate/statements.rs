//! Statements, one to a line; what is nested is in braces. `depth` says how many more levels there may be.

use super::{FunctionKind, Generator};

impl Generator {
    pub(super) fn statement(&mut self, depth: usize) {
        if depth == 0 {
            return self.simple();
        }
        match self.random.below(14) {
            0..=2 => self.branch(depth),
            3..=4 => self.count(depth),
            5 => self.fuelled(depth),
            6 => self.switch(depth),
            7..=8 if !self.functions.is_empty() => self.call(),
            9 if self.random.chance(20) => {
                let condition = self.condition(1);
                self.line(&format!("if (!{condition}) reach_error();"));
            }
            10 if self.random.chance(30) => {
                let condition = self.condition(1);
                self.line(&format!("__VERIFIER_assume({condition});"));
            }
            _ => self.simple(),
        }
    }

    /// No control flow, no call.
    fn simple(&mut self) {
        if self.random.chance(20) && self.point_elsewhere() {
            return;
        }
        if self.structs.len() > 1 && self.random.chance(15) {
            let (to, from) =
                (self.random.pick(&self.structs).clone(), self.random.pick(&self.structs).clone());
            return self.line(&format!("{to} = {from};"));
        }
        let Some(place) = self.place() else { return };
        match self.random.below(6) {
            0 => self.line(&format!("{place}++;")),
            1 => self.line(&format!("{place}--;")),
            2 | 3 => {
                let ops: &[&str] =
                    if self.features.bits { &["+=", "-=", "^=", "|=", "&="] } else { &["+=", "-="] };
                let op = *self.random.pick(ops);
                let value = self.expression(1);
                self.line(&format!("{place} {op} {value};"));
            }
            _ => {
                let value = self.expression(2);
                self.line(&format!("{place} = {value};"));
            }
        }
    }

    fn point_elsewhere(&mut self) -> bool {
        if self.pointers.is_empty() || self.addresses.is_empty() {
            return false;
        }
        let pointer = self.random.pick(&self.pointers).clone();
        let target = self.random.pick(&self.addresses).clone();
        self.line(&format!("{pointer} = &{target};"));
        true
    }

    fn block(&mut self, depth: usize) {
        let scope = self.scope();
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth);
        }
        self.leave(&scope);
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition(2);
        self.open(&format!("if {condition}"));
        self.block(depth - 1);
        if self.random.chance(40) {
            self.indent -= 1;
            self.open("} else");
            self.block(depth - 1);
        }
        self.close();
    }

    /// A loop that counts to a constant or to an input.
    fn count(&mut self, depth: usize) {
        let scope = self.scope();
        let counter = self.name("i");
        let bound = if !self.inputs.is_empty() && self.random.chance(40) {
            self.random.pick(&self.inputs).clone()
        } else {
            self.random.between(1, 4).to_string()
        };
        self.open(&format!("for (int {counter} = 0; {counter} < (int){bound}; {counter}++)"));
        self.readable.push(counter.clone());
        self.loops += 1;
        self.block(depth - 1);
        if self.random.chance(20) {
            let condition = self.condition(1);
            let way_out = *self.random.pick(&["break", "continue"]);
            self.line(&format!("if {condition} {way_out};"));
            self.simple();
        }
        if self.random.chance(15) {
            let limit = self.random.between(4, 5);
            self.line(&format!("if (!({counter} < {limit})) reach_error();"));
        }
        self.loops -= 1;
        self.close();
        self.leave(&scope);
    }

    /// A loop under a condition, with fuel so that it ends.
    fn fuelled(&mut self, depth: usize) {
        let scope = self.scope();
        let fuel = self.name("u");
        let rounds = self.random.between(1, 5);
        self.line(&format!("int {fuel} = {rounds};"));
        self.readable.push(fuel.clone());
        let condition = self.condition(1);
        let is_tested_last = self.random.chance(30);
        let test = format!("while ({fuel} > 0 && {condition})");
        self.open(if is_tested_last { "do" } else { &test });
        self.line(&format!("{fuel}--;"));
        // An input in every round: of two values, so that there are not too many runs.
        if self.inputs.len() < 2 && self.indent < 4 && self.loops == 0 && self.random.chance(30) {
            let input = self.name("n");
            self.line(&format!("int {input} = __VERIFIER_nondet_int();"));
            self.line(&format!("__VERIFIER_assume({input} >= 0 && {input} <= 1);"));
            self.readable.push(input);
        }
        self.loops += 1;
        self.block(depth - 1);
        self.loops -= 1;
        self.indent -= 1;
        self.line(&if is_tested_last { format!("}} {test};") } else { "}".to_owned() });
        self.leave(&scope);
    }

    fn switch(&mut self, depth: usize) {
        let value = self.expression(1);
        self.open(&format!("switch ({value} & 3)"));
        for case in 0..1 + self.random.below(3) {
            self.open(&format!("case {case}:"));
            self.block(depth - 1);
            self.close();
            // Some fall through.
            if self.random.chance(80) {
                self.line("break;");
            }
        }
        if self.random.chance(60) {
            self.open("default:");
            self.block(depth - 1);
            self.close();
        }
        self.close();
    }

    fn call(&mut self) {
        let function = self.random.pick(&self.functions).clone();
        let (name, argument) = (function.name, self.expression(1));
        match function.kind {
            FunctionKind::Writer => {
                let Some(target) = self.target() else { return };
                self.line(&format!("{name}({target}, {argument});"));
            }
            FunctionKind::Plain | FunctionKind::Recursive => {
                let first = self.expression(1);
                let first =
                    if function.kind == FunctionKind::Recursive { format!("({first} & 3)") } else { first };
                match self.place() {
                    Some(place) => self.line(&format!("{place} = {name}({first}, {argument});")),
                    None => self.line(&format!("{name}({first}, {argument});")),
                }
            }
        }
    }

    /// A pointer to an `int`.
    fn target(&mut self) -> Option<String> {
        if !self.pointers.is_empty() && self.random.chance(40) {
            return Some(self.random.pick(&self.pointers).clone());
        }
        if self.addresses.is_empty() { None } else { Some(format!("&{}", self.random.pick(&self.addresses))) }
    }

    /// Many rounds of something simple: to be proved by an invariant rather than by unrolling.
    pub(super) fn long_loop(&mut self) {
        let counter = self.name("i");
        let rounds = *self.random.pick(&[20, 50, 100, 1000]);
        self.open(&format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++)"));
        for _ in 0..1 + self.random.below(2) {
            let Some(place) = self.place() else { continue };
            let text = match self.random.below(3) {
                0 => format!("{place}++;"),
                1 => format!("{place} += {};", self.random.below(4)),
                _ => format!("if ({place} < {}) {place}++;", self.random.between(5, 50)),
            };
            self.line(&text);
        }
        self.close();
    }
}
