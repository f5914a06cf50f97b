//! Constraints of witnesses that give values of inputs: comparisons of a place, or of `\result`, with
//! constants, as in `x == 5 && y < 7`.

use summa_base::Interner;
use summa_c::SourceMap;
use summa_c::types::FloatKind;
use summa_interp::{InputValue, Value};
use summa_syntax::ast::{Ast, BinaryOp, ExprId, ExprKind, FloatSuffix, StmtKind, UnaryOp};
use summa_syntax::parse;

/// Stands for `\result`, which is no C.
pub(crate) const RESULT: &str = "__summa_result";

/// A place compared with a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison {
    /// Without blanks.
    pub(crate) place: String,
    op: BinaryOp,
    value: Constant,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Constant {
    Int(i128),
    Float(f64),
    /// A format that `f64` does not hold.
    Wide(u128, FloatKind),
}

/// The comparisons whose conjunction the text is; None if it is something else.
pub(crate) fn comparisons(text: &str) -> Option<Vec<Comparison>> {
    let text = text.trim().trim_end_matches(';').replace("\\result", RESULT);
    let mut sources = SourceMap::new();
    let file = sources.add("constraint", format!("void f(void) {{ {text}; }}")).ok()?;
    let mut names = Interner::new();
    let (ast, diagnostics) = parse(&mut sources, file, &mut names);
    let [function] = ast.functions.ids().collect::<Vec<_>>()[..] else { return None };
    let StmtKind::Compound(list) = &ast.stmts[ast.functions[function].body].kind else { return None };
    let ([statement], true) = (&list[..], diagnostics.is_empty()) else { return None };
    let StmtKind::Expr(root) = ast.stmts[*statement].kind else { return None };
    let reader = Reader { ast: &ast, names: &names, sources: &sources };
    let (mut found, mut open) = (Vec::new(), vec![root]);
    while let Some(id) = open.pop() {
        match ast.exprs[id].kind {
            ExprKind::Binary(BinaryOp::LogicalAnd, a, b) => open.extend([b, a]),
            ExprKind::Binary(op, a, b) => found.push(reader.comparison(op, a, b)?),
            // Says nothing.
            ExprKind::Int(1, _) => {}
            _ => return None,
        }
    }
    Some(found)
}

/// Blanks do not matter in a place.
pub(crate) fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

struct Reader<'r> {
    ast: &'r Ast,
    names: &'r Interner,
    sources: &'r SourceMap,
}

impl Reader<'_> {
    fn comparison(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Comparison> {
        use BinaryOp::*;
        if !matches!(op, Eq | Ne | Lt | Le | Gt | Ge) {
            return None;
        }
        let text = |id: ExprId| without_blanks(self.sources.text(self.ast.exprs[id].span));
        // Not a number.
        if op == Ne && text(a) == text(b) {
            return Some(Comparison { place: text(a), op: Eq, value: Constant::Float(f64::NAN) });
        }
        if let Some(value) = self.constant(b) {
            return Some(Comparison { place: text(a), op, value });
        }
        let mirrored = match op {
            Lt => Gt,
            Le => Ge,
            Gt => Lt,
            Ge => Le,
            _ => op,
        };
        Some(Comparison { place: text(b), op: mirrored, value: self.constant(a)? })
    }

    /// A constant, as this project and others write them: signs, casts, and `-2147483647 - 1`.
    fn constant(&self, mut id: ExprId) -> Option<Constant> {
        let mut negative = false;
        loop {
            match &self.ast.exprs[id].kind {
                ExprKind::Unary(UnaryOp::Minus, inner) => {
                    negative = !negative;
                    id = *inner;
                }
                ExprKind::Unary(UnaryOp::Plus, inner) | ExprKind::Cast(_, inner) => id = *inner,
                ExprKind::Int(value, _) => {
                    let value = *value as i128;
                    return Some(Constant::Int(if negative { value.wrapping_neg() } else { value }));
                }
                ExprKind::Char(value, _) => {
                    let value = i128::from(*value);
                    return Some(Constant::Int(if negative { -value } else { value }));
                }
                ExprKind::Float(digits, suffix) => {
                    return self.float(self.names.text(*digits), *suffix, negative);
                }
                ExprKind::Binary(BinaryOp::Sub, a, b) => match (self.plain(*a), self.plain(*b)) {
                    (Some(a), Some(b)) => {
                        let value = a.checked_sub(b)?;
                        return Some(Constant::Int(if negative { -value } else { value }));
                    }
                    _ => return None,
                },
                ExprKind::Call { callee, .. } => {
                    let ExprKind::Ident(name) = self.ast.exprs[*callee].kind else { return None };
                    let value = if self.names.text(name).starts_with("__builtin_inf") {
                        f64::INFINITY
                    } else if self.names.text(name).starts_with("__builtin_nan") {
                        f64::NAN
                    } else {
                        return None;
                    };
                    return Some(Constant::Float(if negative { -value } else { value }));
                }
                _ => return None,
            }
        }
    }

    /// An integer with at most a sign.
    fn plain(&self, id: ExprId) -> Option<i128> {
        match self.ast.exprs[id].kind {
            ExprKind::Int(value, _) => i128::try_from(value).ok(),
            ExprKind::Unary(UnaryOp::Minus, inner) => match self.ast.exprs[inner].kind {
                ExprKind::Int(value, _) => i128::try_from(value).ok().map(|value| -value),
                _ => None,
            },
            _ => None,
        }
    }

    fn float(&self, digits: &str, suffix: FloatSuffix, negative: bool) -> Option<Constant> {
        let kind = match suffix {
            FloatSuffix::None => FloatKind::Double,
            FloatSuffix::F => FloatKind::Float,
            FloatSuffix::L => FloatKind::LongDouble,
            FloatSuffix::Q => FloatKind::Float128,
        };
        let bits = summa_c::float::parse(digits, kind)?;
        let bits = if negative { summa_c::float::negate(bits, kind) } else { bits };
        Some(match kind {
            FloatKind::Float | FloatKind::Double => {
                let double = summa_c::float::convert(bits, kind, FloatKind::Double);
                Constant::Float(f64::from_bits(double as u64))
            }
            FloatKind::LongDouble | FloatKind::Float128 => Constant::Wide(bits, kind),
        })
    }
}

impl Comparison {
    /// The integer to which the place must be equal, if the comparison says so.
    pub(crate) fn integer(&self) -> Option<i128> {
        match (self.op, self.value) {
            (BinaryOp::Eq, Constant::Int(value)) => Some(value),
            _ => None,
        }
    }

    /// An input that makes it true, if any value does.
    pub(crate) fn suggestion(&self) -> InputValue {
        let step = match self.op {
            BinaryOp::Ne | BinaryOp::Gt => 1,
            BinaryOp::Lt => -1,
            _ => 0,
        };
        match self.value {
            Constant::Int(value) => InputValue::Int(value.wrapping_add(step)),
            Constant::Float(value) => InputValue::Float(value + step as f64),
            Constant::Wide(bits, _) => InputValue::Bits(bits),
        }
    }

    /// Is it true of this value?
    pub(crate) fn holds(&self, value: &Value) -> bool {
        use std::cmp::Ordering;
        let order = match (value, self.value) {
            (Value::Int(a), Constant::Int(b)) => Some(a.cmp(&b)),
            (Value::Pointer(pointer), Constant::Int(b)) => match pointer {
                summa_interp::Pointer::Null => Some(0.cmp(&b)),
                summa_interp::Pointer::Other(address) => Some(i128::from(*address).cmp(&b)),
                _ => None,
            },
            (Value::Int(a), Constant::Float(b)) => (*a as f64).partial_cmp(&b),
            (Value::Float { bits, kind }, constant) => {
                let double = |bits, kind| {
                    f64::from_bits(summa_c::float::convert(bits, kind, FloatKind::Double) as u64)
                };
                let a = double(*bits, *kind);
                match constant {
                    Constant::Float(b) if b.is_nan() => return a.is_nan(),
                    Constant::Float(b) => a.partial_cmp(&b),
                    Constant::Int(b) => a.partial_cmp(&(b as f64)),
                    Constant::Wide(other, _) if other == *bits => Some(Ordering::Equal),
                    Constant::Wide(other, of) => a.partial_cmp(&double(other, of)),
                }
            }
            _ => None,
        };
        let Some(order) = order else { return false };
        match self.op {
            BinaryOp::Eq => order == Ordering::Equal,
            BinaryOp::Ne => order != Ordering::Equal,
            BinaryOp::Lt => order == Ordering::Less,
            BinaryOp::Le => order != Ordering::Greater,
            BinaryOp::Gt => order == Ordering::Greater,
            _ => order != Ordering::Less,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Option<(String, InputValue)> {
        let found = comparisons(text)?;
        found.first().map(|first| (first.place.clone(), first.suggestion()))
    }

    #[test]
    fn constants_are_read_as_they_are_written() {
        let int = |place: &str, value| Some((place.to_owned(), InputValue::Int(value)));
        assert_eq!(one("x == 5"), int("x", 5));
        assert_eq!(one("a [ i ] == (-2147483647 - 1)"), int("a[i]", -2_147_483_648));
        assert_eq!(one("\\result == 18446744073709551615ULL;"), int(RESULT, u64::MAX.into()));
        assert_eq!(one("p == (void *)4096UL"), int("p", 4096));
        assert_eq!(one("7 < x"), int("x", 8));
        assert_eq!(one("'a' == c"), int("c", 97));
        assert_eq!(one("x == 0x18p-1"), Some(("x".to_owned(), InputValue::Float(12.0))));
        assert_eq!(
            one("x == (-__builtin_inf())"),
            Some(("x".to_owned(), InputValue::Float(f64::NEG_INFINITY)))
        );
        assert_eq!(comparisons("x == 1 && y == 2 && z >= 3").map(|all| all.len()), Some(3));
    }

    #[test]
    fn what_is_more_is_left_to_others() {
        for text in
            ["x == y", "x == 1 || y == 2", "x", "f() == 1); g(); (1", "x == 1 } void g(void) {", "!x", ""]
        {
            assert!(comparisons(text).is_none_or(|all| all.is_empty()), "{text}");
        }
    }

    #[test]
    fn values_are_compared_as_numbers() {
        let holds = |text: &str, value: Value| comparisons(text).unwrap()[0].holds(&value);
        assert!(holds("x == 5", Value::Int(5)) && !holds("x == 5", Value::Int(6)));
        assert!(holds("x != x", Value::Float { bits: f64::NAN.to_bits().into(), kind: FloatKind::Double }));
        assert!(holds(
            "x == 0x1p-1f",
            Value::Float { bits: 0.5f32.to_bits().into(), kind: FloatKind::Float }
        ));
        assert!(holds("p == 0", Value::Pointer(summa_interp::Pointer::Null)));
    }
}
