//! Functions that call themselves and each other, with an argument for the depth, several calls in one
//! expression, globals that change on the way, and locals that must be the same after a call as before it.

use super::{Function, FunctionKind, Generator};

impl Generator {
    /// One function that calls itself, or two that call each other; perhaps one that writes to its caller's
    /// variables.
    pub(super) fn family(&mut self) {
        let group: Vec<String> = (0..1 + self.random.below(2)).map(|_| self.name("r")).collect();
        for name in &group {
            self.line(&format!("int {name}(int n, int x);"));
        }
        // Inputs in a recursive function would be too many: none are taken inside of loops.
        self.loops += 1;
        for name in &group {
            self.member(name, &group);
        }
        let members = group.into_iter().map(|name| Function { name, kind: FunctionKind::Recursive });
        self.functions.extend(members);
        if self.features.pointers {
            self.recursive_writer();
        }
        self.loops -= 1;
    }

    fn member(&mut self, name: &str, group: &[String]) {
        let scope = self.scope();
        self.open(&format!("int {name}(int n, int x)"));
        self.readable.extend(["n".to_owned(), "x".to_owned()]);
        self.writable.push("x".to_owned());
        self.open("if (n <= 0)");
        if self.random.chance(50) {
            self.statement(0);
        }
        let base = self.expression(1);
        self.line(&format!("return {base};"));
        self.close();
        self.variable();
        self.statement(1);
        let calls = self.calls("n", group);
        let result = self.name("y");
        self.line(&format!("int {result} = {calls};"));
        self.declare(result.clone(), "int");
        self.statement(1);
        if self.random.chance(25) {
            let (counter, callee) = (self.name("i"), self.random.pick(group).clone());
            let rounds = self.random.between(1, 2);
            self.open(&format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++)"));
            self.line(&format!("{result} += {callee}(n - 2, {counter});"));
            self.close();
        }
        let value = self.expression(2);
        self.line(&format!("return {value};"));
        self.close();
        self.leave(&scope);
    }

    /// One or two calls that go less deep.
    fn calls(&mut self, depth: &str, group: &[String]) -> String {
        let mut text = String::new();
        for i in 0..1 + self.random.below(2) {
            if i > 0 {
                text += *self.random.pick(&[" + ", " - "]);
            }
            let (callee, argument) = (self.random.pick(group).clone(), self.expression(1));
            text += &format!("{callee}({depth} - {}, {argument})", self.random.between(1, 2));
        }
        text
    }

    /// Each activation hands on its own variable, or that of its caller.
    fn recursive_writer(&mut self) {
        let (name, scope) = (self.name("w"), self.scope());
        self.open(&format!("void {name}(int *q, int n)"));
        self.readable.extend(["(*q)".to_owned(), "n".to_owned()]);
        let value = self.expression(1);
        self.line(&format!("int z = {value};"));
        self.readable.push("z".to_owned());
        self.line("n = n & 3;");
        let target = *self.random.pick(&["&z", "q"]);
        self.line(&format!("if (n > 0) {name}({target}, n - 1);"));
        let value = self.expression(2);
        self.line(&format!("*q = {value};"));
        self.close();
        self.leave(&scope);
        self.functions.push(Function { name, kind: FunctionKind::Writer });
    }

    /// Statements of `main` that call the family.
    pub(super) fn family_calls(&mut self) {
        let members = self.functions.iter().filter(|function| function.kind == FunctionKind::Recursive);
        let group: Vec<String> = members.map(|function| function.name.clone()).collect();
        for _ in 0..2 {
            let depth = self.random.between(1, 4).to_string();
            let calls = self.calls(&depth, &group);
            let Some(place) = self.place() else { continue };
            self.line(&format!("{place} = {calls};"));
            self.statement(1);
        }
    }
}
