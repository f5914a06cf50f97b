//! Expressions and places in C syntax, with no more parentheses than C needs. For people: automata, traces,
//! explanations.
//!
//! Conversions that the front end made explicit are shown as casts, except for the widening of an index.
//! Limits: parts nested deeper than [`MAX_DEPTH`] are shown as `…`. Members of anonymous structs and unions
//! are shown as members of the enclosing one, as C allows.

use crate::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, Program, UnaryOp, VarId, VarKind};
use crate::types::{ArrayLen, FloatKind, IntKind, Type, TypeId};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Quad, X87DoubleExtended};

/// Deeper expressions are cut.
pub const MAX_DEPTH: u32 = 200;

/// The expression in C syntax.
pub fn expr(program: &Program, id: ExprId) -> String {
    let mut printer = Printer { program, out: String::new(), depth: 0 };
    printer.expr(id, 0);
    printer.out
}

/// The place in C syntax.
pub fn place(program: &Program, id: PlaceId) -> String {
    let mut printer = Printer { program, out: String::new(), depth: 0 };
    printer.place(id, 0);
    printer.out
}

/// The variable as in the source; string literals as `"…"`.
pub fn var(program: &Program, id: VarId) -> String {
    literal(program, id).unwrap_or_else(|| program.var_name(id).to_string())
}

// How tightly an operator binds (6.5).
const UNARY: u8 = 14;
const POSTFIX: u8 = 15;
const PRIMARY: u8 = 16;

struct Printer<'a> {
    program: &'a Program,
    out: String,
    depth: u32,
}

impl Printer<'_> {
    /// Writes `text` by `inner`, in parentheses if it binds less tightly than its surroundings ask for.
    fn bracketed(&mut self, own: u8, wanted: u8, inner: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            self.out.push('…');
            return;
        }
        self.depth += 1;
        if own < wanted {
            self.out.push('(');
            inner(self);
            self.out.push(')');
        } else {
            inner(self);
        }
        self.depth -= 1;
    }

    fn atom(&mut self, text: &str, wanted: u8) {
        let own = if text.starts_with(['-', '(']) { UNARY } else { PRIMARY };
        self.bracketed(own, wanted, |p| p.out.push_str(text));
    }

    fn expr(&mut self, id: ExprId, wanted: u8) {
        let program = self.program;
        let e = program.exprs.expr(id);
        match e.kind {
            ExprKind::Int(value) => {
                let text = integer(program, e.ty, value);
                self.atom(&text, wanted);
            }
            ExprKind::Float(bits) => {
                let kind = program.types.float_kind(e.ty).unwrap_or(FloatKind::Double);
                self.atom(&float(bits, kind), wanted);
            }
            ExprKind::Load(place) => self.place(place, wanted),
            ExprKind::Addr(place) => match program.exprs.place(place).kind {
                // The array itself, which decays to the address of its first element.
                PlaceKind::Index(array, index) if program.exprs.as_int(index) == Some(0) => {
                    self.place(array, wanted);
                }
                _ => self.bracketed(UNARY, wanted, |p| {
                    p.out.push('&');
                    p.place(place, UNARY);
                }),
            },
            ExprKind::Function(function) => {
                let name = program.func_name(function);
                self.bracketed(UNARY, wanted, |p| {
                    p.out.push('&');
                    p.out.push_str(name);
                });
            }
            ExprKind::Unary(op, a) => self.bracketed(UNARY, wanted, |p| {
                p.out.push(match op {
                    UnaryOp::Neg => '-',
                    UnaryOp::BitNot => '~',
                });
                // `- -1`, not `--1`: the operand's own sign asks for parentheses.
                let negative = matches!(program.exprs.expr(a).kind, ExprKind::Unary(UnaryOp::Neg, _))
                    || program.exprs.as_int(a).is_some_and(|value| value < 0)
                    || matches!(program.exprs.expr(a).kind, ExprKind::Float(_));
                p.expr(a, if negative { POSTFIX } else { UNARY });
            }),
            ExprKind::Binary(op, a, b) => {
                let (symbol, own) = operator(op);
                self.bracketed(own, wanted, |p| {
                    p.expr(a, own);
                    p.out.push(' ');
                    p.out.push_str(symbol);
                    p.out.push(' ');
                    p.expr(b, own + 1);
                });
            }
            ExprKind::Cast(a) => {
                let ty = program.types.declare(e.ty, "", &program.names);
                self.bracketed(UNARY, wanted, |p| {
                    p.out.push('(');
                    p.out.push_str(&ty);
                    p.out.push(')');
                    p.expr(a, UNARY);
                });
            }
        }
    }

    fn place(&mut self, id: PlaceId, wanted: u8) {
        let program = self.program;
        match program.exprs.place(id).kind {
            PlaceKind::Var(v) => self.out.push_str(&var(program, v)),
            PlaceKind::Deref(pointer) => match program.exprs.expr(pointer).kind {
                ExprKind::Binary(BinaryOp::PtrAdd, base, index) => self.bracketed(POSTFIX, wanted, |p| {
                    p.expr(base, POSTFIX);
                    p.index(index);
                }),
                _ => self.bracketed(UNARY, wanted, |p| {
                    p.out.push('*');
                    p.expr(pointer, UNARY);
                }),
            },
            PlaceKind::Field(base, index) => {
                let record = program.types.record_of(program.exprs.place(base).ty);
                let field = record.and_then(|r| program.types.record(r).fields.get(index as usize));
                let Some(name) = field.and_then(|f| f.name) else {
                    // Members of an anonymous member count as members of its owner.
                    return self.place(base, wanted);
                };
                self.bracketed(POSTFIX, wanted, |p| {
                    match p.named_base(base) {
                        PlaceKind::Deref(pointer) if !p.is_sum(pointer) => {
                            p.expr(pointer, POSTFIX);
                            p.out.push_str("->");
                        }
                        _ => {
                            p.place(base, POSTFIX);
                            p.out.push('.');
                        }
                    }
                    p.out.push_str(program.name(name));
                });
            }
            PlaceKind::Index(base, index) => self.bracketed(POSTFIX, wanted, |p| {
                p.place(base, POSTFIX);
                p.index(index);
            }),
        }
    }

    /// `[index]`; the type of a constant is clear, and so is the conversion to a wider type that every index
    /// undergoes.
    fn index(&mut self, index: ExprId) {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let index = match exprs.expr(index).kind {
            ExprKind::Cast(narrow) if types.keeps_values(exprs.type_of(narrow), exprs.type_of(index)) => {
                narrow
            }
            _ => index,
        };
        self.out.push('[');
        match self.program.exprs.as_int(index) {
            Some(constant) => self.out.push_str(&constant.to_string()),
            None => self.expr(index, 0),
        }
        self.out.push(']');
    }

    /// Is it a pointer plus an index, so that what it points to is written with brackets?
    fn is_sum(&self, pointer: ExprId) -> bool {
        matches!(self.program.exprs.expr(pointer).kind, ExprKind::Binary(BinaryOp::PtrAdd, ..))
    }

    /// The kind of the place, anonymous members skipped.
    fn named_base(&self, mut id: PlaceId) -> PlaceKind {
        loop {
            let kind = self.program.exprs.place(id).kind;
            let PlaceKind::Field(base, index) = kind else {
                return kind;
            };
            let record = self.program.types.record_of(self.program.exprs.place(base).ty);
            let field = record.and_then(|r| self.program.types.record(r).fields.get(index as usize));
            if field.is_none_or(|f| f.name.is_some()) {
                return kind;
            }
            id = base;
        }
    }
}

fn operator(op: BinaryOp) -> (&'static str, u8) {
    use BinaryOp::*;
    match op {
        Mul => ("*", 13),
        Div => ("/", 13),
        Rem => ("%", 13),
        Add | PtrAdd => ("+", 12),
        Sub | PtrSub | PtrDiff => ("-", 12),
        Shl => ("<<", 11),
        Shr => (">>", 11),
        Lt => ("<", 10),
        Le => ("<=", 10),
        Gt => (">", 10),
        Ge => (">=", 10),
        Eq => ("==", 9),
        Ne => ("!=", 9),
        And => ("&", 8),
        Xor => ("^", 7),
        Or => ("|", 6),
    }
}

fn integer(program: &Program, ty: TypeId, value: i128) -> String {
    let types = &program.types;
    match *types.get(ty) {
        Type::Pointer(_) => {
            let address = if value == 0 { "0".to_string() } else { format!("{value:#x}") };
            format!("({}){address}", types.declare(ty, "", &program.names))
        }
        Type::Int(IntKind::UnsignedInt) => format!("{value}u"),
        Type::Int(IntKind::Long) => format!("{value}l"),
        Type::Int(IntKind::UnsignedLong) => format!("{value}ul"),
        Type::Int(IntKind::LongLong) => format!("{value}ll"),
        Type::Int(IntKind::UnsignedLongLong) => format!("{value}ull"),
        Type::Int(IntKind::UnsignedInt128) => format!("{}", value as u128),
        _ => value.to_string(),
    }
}

/// A floating constant that reads back as the same bits: the shortest decimal one.
pub fn float(bits: u128, kind: FloatKind) -> String {
    let (text, suffix) = match kind {
        FloatKind::Float => (format!("{:?}", f32::from_bits(bits as u32)), "f"),
        FloatKind::Double => (format!("{:?}", f64::from_bits(bits as u64)), ""),
        FloatKind::LongDouble => (shortest(X87DoubleExtended::from_bits(bits), bits, kind), "l"),
        FloatKind::Float128 => (shortest(Quad::from_bits(bits), bits, kind), "q"),
    };
    let sign = if text.starts_with('-') { "-" } else { "" };
    let lower = text.to_ascii_lowercase();
    if lower.contains("nan") {
        format!("{sign}NAN")
    } else if lower.contains("inf") {
        format!("{sign}INFINITY")
    } else if text.contains(['.', 'e', 'E']) {
        format!("{text}{suffix}")
    } else {
        format!("{text}.0{suffix}")
    }
}

/// The decimal number with the fewest digits that reads back as `bits`.
fn shortest(value: impl Float, bits: u128, kind: FloatKind) -> String {
    let digits = (1..40).map(|digits| format!("{value:.digits$}"));
    digits
        .into_iter()
        .find(|text| crate::float::parse(text, kind) == Some(bits))
        .unwrap_or(format!("{value}"))
}

/// The text of a string literal, cut when long.
fn literal(program: &Program, id: VarId) -> Option<String> {
    const MAX_LEN: usize = 80;
    let variable = &program.vars[id];
    if variable.kind != VarKind::Literal {
        return None;
    }
    let element = program.types.element(variable.ty)?;
    let mut out = String::from(if program.types.size_of(element) == Some(1) { "\"" } else { "L\"" });
    let mut next = 0;
    for &(place, value) in &variable.init {
        let PlaceKind::Index(_, index) = program.exprs.place(place).kind else {
            return None;
        };
        let (index, value) = (program.exprs.as_int(index)?, program.exprs.as_int(value)?);
        // Bytes left out are zero.
        for _ in next..index.min(next + MAX_LEN as i128) {
            out.push_str("\\0");
        }
        next = index + 1;
        if out.len() > MAX_LEN {
            out.push('…');
            break;
        }
        let ty = program.types.get(variable.ty);
        let is_end = matches!(*ty, Type::Array(_, ArrayLen::Fixed(n)) if index + 1 == i128::from(n));
        match u32::try_from(value & 0xffff_ffff).ok().and_then(char::from_u32) {
            Some('\0') if is_end => {}
            Some('\0') => out.push_str("\\0"),
            Some('\n') => out.push_str("\\n"),
            Some('\t') => out.push_str("\\t"),
            Some(c @ ('"' | '\\')) => out.extend(['\\', c]),
            Some(c) if c.is_ascii_graphic() || c == ' ' => out.push(c),
            _ => out.push_str(&format!("\\x{:x}", value & 0xff)),
        }
    }
    out.push('"');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::load_text;
    use crate::tree::StmtKind;
    use crate::types::DataModel;
    use expect_test::expect;

    /// The assignments and results of `main`, a line each.
    fn assignments(text: &str) -> String {
        let program = load_text("test.c", text, DataModel::Lp64).unwrap().program;
        let main = program.find_function("main").unwrap();
        let stmts = &program.functions[main].body.as_ref().unwrap().stmts;
        let lines = stmts.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Assign(to, value) => {
                Some(format!("{} = {}\n", place(&program, to), expr(&program, value)))
            }
            StmtKind::Return(Some(value)) => Some(format!("return {}\n", expr(&program, value))),
            _ => None,
        });
        lines.collect()
    }

    #[test]
    fn parentheses_stand_only_where_c_needs_them() {
        let text = r#"
            struct s { int a; struct s *next; union { int u; float v; }; int list[3]; };
            int (*f)(int), g(int);
            int main(void) {
                struct s x, *p = &x, (*q)[2];
                int i = 1, *r;
                unsigned char c = 200;
                const char *t;
                i = (i - 1) - (i - (2 - i)) * -(-i);
                i = (i & 3) == 0 | i << (i + 1);
                i = - -1 + ~(i ^ 5);
                p->next->a = (*p).list[i + 1];
                x.v = p->u;
                (*p->next).list[p - &x] = (c > 3u) + 1;
                *(int *)p = -2147483647 - 1;
                i = (*q)[1].a + q[1]->a;
                r = p->list + 2;
                r = &p->list[2];
                f = g;
                t = "a\n\"b\"\0c\x80";
                return !p;
            }"#;
        expect![[r#"
            p = &x
            i = 1
            c = 200
            i = i - 1 - (i - (2 - i)) * -(-i)
            i = (i & 3) == 0 | i << i + 1
            i = 1 + ~(i ^ 5)
            p->next->a = p->list[i + 1]
            x.v = (float)p->u
            p->next->list[p - &x] = ((unsigned int)c > 3u) + 1
            *(int *)p = -2147483647 - 1
            i = (*q)[1].a + q[1][0].a
            r = p->list + 2l
            r = &p->list[2]
            f = &g
            t = "a\n\"b\"\0c\x80"
            return p == (struct s *)0
        "#]]
        .assert_eq(&assignments(text));
    }

    #[test]
    fn constants_read_back_as_they_were() {
        for kind in [FloatKind::Float, FloatKind::Double, FloatKind::LongDouble, FloatKind::Float128] {
            for text in ["0.1", "1e-40", "12345678.9", "1e30", "3.0", "0.0", "1.00000000000000000011"] {
                let bits = crate::float::parse(text, kind).unwrap();
                let shown = float(bits, kind);
                let number = shown.trim_end_matches(['f', 'l', 'q']);
                assert_eq!(crate::float::parse(number, kind), Some(bits), "{shown}");
            }
        }
        let tenth = |kind| float(crate::float::parse("0.1", kind).unwrap(), kind);
        assert_eq!(tenth(FloatKind::Float), "0.1f");
        assert_eq!(tenth(FloatKind::LongDouble), "0.1l");
        assert_eq!(tenth(FloatKind::Float128), "0.1q");
        assert_eq!(float(u128::from(f64::NEG_INFINITY.to_bits()), FloatKind::Double), "-INFINITY");
        assert_eq!(float(u128::from(f64::NAN.to_bits()), FloatKind::Double), "NAN");
    }

    #[test]
    fn deep_expressions_are_cut() {
        let mut program =
            load_text("test.c", "int i; int main(void) { return i; }", DataModel::Lp64).unwrap().program;
        let int = program.types.int;
        let mut deep = program.exprs.int(&program.types, int, 1);
        for _ in 0..100_000 {
            deep = program.exprs.intern(ExprKind::Unary(UnaryOp::BitNot, deep), int);
        }
        let shown = expr(&program, deep);
        assert!(shown.starts_with("~~") && shown.ends_with("~…"), "{shown}");
    }
}
