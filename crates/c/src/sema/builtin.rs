//! Functions that the compiler knows. Those that are really operators are lowered here. The others get the
//! type that gcc gives them, and are modelled like library functions.

use super::convert::Operand;
use super::{Lowered, Sema};
use crate::float;
use crate::tree::ExprId;
use crate::types::{DataModel, FloatKind, FunctionType, IntKind, Type, TypeId};
use summa_base::Symbol;
use summa_syntax::Span;
use summa_syntax::ast;

/// Library functions with the signature that an undeclared call gets: result, then parameters. `v` void, `i`
/// int, `u` unsigned, `l` long, `L` unsigned long, `q` long long, `Q` unsigned long long, `z` size_t, `w`
/// uint64_t, `h` unsigned short, `p` void *, `s` char *, `f` float, `d` double, `D` long double, `.`
/// variadic.
const SIGNATURES: &[(&str, &str)] = &[
    ("abort", "v"),
    ("abs", "ii"),
    ("alloca", "pz"),
    ("bswap16", "hh"),
    ("bswap32", "uu"),
    ("bswap64", "ww"),
    ("calloc", "pzz"),
    ("clz", "iu"),
    ("clzl", "iL"),
    ("clzll", "iQ"),
    ("ctz", "iu"),
    ("ctzl", "iL"),
    ("ctzll", "iQ"),
    ("exit", "vi"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iq"),
    ("fprintf", "ips."),
    ("free", "vp"),
    ("labs", "ll"),
    ("llabs", "qq"),
    ("malloc", "pz"),
    ("memchr", "ppiz"),
    ("memcmp", "ippz"),
    ("memcpy", "pppz"),
    ("memmove", "pppz"),
    ("memset", "ppiz"),
    ("parity", "iu"),
    ("parityl", "iL"),
    ("parityll", "iQ"),
    ("popcount", "iu"),
    ("popcountl", "iL"),
    ("popcountll", "iQ"),
    ("printf", "is."),
    ("putchar", "ii"),
    ("puts", "is"),
    ("realloc", "ppz"),
    ("snprintf", "iszs."),
    ("sprintf", "iss."),
    ("strcat", "sss"),
    ("strchr", "ssi"),
    ("strcmp", "iss"),
    ("strcpy", "sss"),
    ("strcspn", "zss"),
    ("strdup", "ss"),
    ("strlen", "zs"),
    ("strncat", "sssz"),
    ("strncmp", "issz"),
    ("strncpy", "sssz"),
    ("strpbrk", "sss"),
    ("strrchr", "ssi"),
    ("strspn", "zss"),
    ("strstr", "sss"),
    ("trap", "v"),
    ("unreachable", "v"),
    ("__memcpy_chk", "pppzz"),
    ("__memmove_chk", "pppzz"),
    ("__memset_chk", "ppizz"),
    ("__strcpy_chk", "sssz"),
    ("__strncpy_chk", "ssszz"),
    ("__strcat_chk", "sssz"),
    ("__strncat_chk", "ssszz"),
];

/// Names that exist with the prefix `__builtin_` alone.
const COMPILER_ONLY: &[&str] =
    &["__", "bswap", "clz", "ctz", "parity", "popcount", "signbit", "trap", "unreachable"];

/// Functions of libm by what they take; each also exists with the suffixes `f` and `l`.
const MATH: &[(&str, &str)] = &[
    ("acos", "xx"),
    ("asin", "xx"),
    ("atan", "xx"),
    ("atan2", "xxx"),
    ("cbrt", "xx"),
    ("ceil", "xx"),
    ("copysign", "xxx"),
    ("cos", "xx"),
    ("cosh", "xx"),
    ("exp", "xx"),
    ("exp2", "xx"),
    ("fabs", "xx"),
    ("fdim", "xxx"),
    ("floor", "xx"),
    ("fmax", "xxx"),
    ("fmin", "xxx"),
    ("fmod", "xxx"),
    ("hypot", "xxx"),
    ("llrint", "qx"),
    ("llround", "qx"),
    ("log", "xx"),
    ("log10", "xx"),
    ("log2", "xx"),
    ("lrint", "lx"),
    ("lround", "lx"),
    ("nearbyint", "xx"),
    ("pow", "xxx"),
    ("remainder", "xxx"),
    ("rint", "xx"),
    ("round", "xx"),
    ("signbit", "ix"),
    ("sin", "xx"),
    ("sinh", "xx"),
    ("sqrt", "xx"),
    ("tan", "xx"),
    ("tanh", "xx"),
    ("trunc", "xx"),
];

impl Sema<'_> {
    /// The type gcc gives to a library function or `__builtin_` function of this name.
    pub(crate) fn known_signature(&mut self, name: &str) -> Option<FunctionType> {
        let prefixed = name.strip_prefix("__builtin_");
        let plain = prefixed.unwrap_or(name);
        if prefixed.is_none() && COMPILER_ONLY.iter().any(|known| plain.starts_with(known)) {
            return None;
        }
        let listed = SIGNATURES.iter().find(|(known, _)| *known == plain).map(|(_, code)| (*code, 'd'));
        let math = || {
            let find = |base: &str| MATH.iter().find(|(known, _)| *known == base).map(|(_, code)| *code);
            find(plain)
                .map(|code| (code, 'd'))
                .or_else(|| find(plain.strip_suffix('f')?).map(|code| (code, 'f')))
                .or_else(|| find(plain.strip_suffix('l')?).map(|code| (code, 'D')))
        };
        let (code, float) = listed.or_else(math)?;
        let is_variadic = code.ends_with('.');
        let mut types = Vec::new();
        for letter in code.trim_end_matches('.').chars() {
            types.push(self.letter_type(if letter == 'x' { float } else { letter }));
        }
        let result = types.remove(0);
        Some(FunctionType { result, params: types.into(), is_variadic, is_prototype: true })
    }

    fn letter_type(&mut self, letter: char) -> TypeId {
        match letter {
            'v' => self.types.void,
            'u' => self.types.unsigned_int,
            'l' => self.types.long,
            'L' => self.types.unsigned_long,
            'q' => self.types.int_type(IntKind::LongLong),
            'Q' => self.types.int_type(IntKind::UnsignedLongLong),
            'z' => self.types.size_t,
            'w' if self.types.model == DataModel::Lp64 => self.types.unsigned_long,
            'w' => self.types.int_type(IntKind::UnsignedLongLong),
            'h' => self.types.int_type(IntKind::UnsignedShort),
            'p' => self.types.void_ptr,
            's' => self.types.char_ptr,
            'f' => self.types.float,
            'd' => self.types.double,
            'D' => self.types.long_double,
            _ => self.types.int,
        }
    }

    pub(crate) fn is_builtin_expect(&self, callee: ast::ExprId) -> bool {
        let callee = &self.ast.exprs[callee].kind;
        matches!(callee, ast::ExprKind::Ident(name) if self.names.text(*name) == "__builtin_expect")
    }

    /// Lowers a call of a function that is really an operator. `None`: an ordinary function.
    pub(crate) fn builtin(
        &mut self,
        name: Symbol,
        args: &[ast::ExprId],
        span: Span,
    ) -> Lowered<Option<Operand>> {
        let text = self.text(name);
        if !text.starts_with("__") {
            return Ok(None);
        }
        if text.starts_with("__sync_") || text.starts_with("__atomic_") {
            return self.atomic(&text, args, span).map(Some);
        }
        let Some(builtin) = text.strip_prefix("__builtin_") else {
            return Ok(None);
        };
        let value = match (builtin, args) {
            ("expect" | "expect_with_probability", &[value, ..]) => {
                let value = self.rvalue(value)?;
                self.cast(value, self.types.long, span)
            }
            ("constant_p", &[value]) => {
                let (value, stmts) = self.collect(|s| s.rvalue(value));
                let known =
                    crate::fold::value(&self.types, &self.exprs, value?).is_some() && stmts.is_empty();
                self.int(self.types.int, i128::from(known))
            }
            ("assume_aligned", &[pointer, ..]) => {
                let pointer = self.rvalue(pointer)?;
                self.cast(pointer, self.types.void_ptr, span)
            }
            ("prefetch", _) => {
                args.iter().for_each(|&arg| self.discard(arg));
                return Ok(Some(Operand::Void));
            }
            ("object_size" | "dynamic_object_size", &[_, kind]) => {
                let kind = self.constant(kind)?;
                self.int(self.types.size_t, if kind < 2 { -1 } else { 0 })
            }
            ("va_start" | "va_end", &[list, ..]) => {
                let list = self.va_list_address(list, span)?;
                return self.va_call(&text, vec![list], span).map(Some);
            }
            ("va_copy", &[to, from]) => {
                let to = self.va_list_address(to, span)?;
                let from = self.va_list_address(from, span)?;
                return self.va_call(&text, vec![to, from], span).map(Some);
            }
            ("inf" | "huge_val", _) => self.float_constant(FloatKind::Double, float::infinity),
            ("inff" | "huge_valf", _) => self.float_constant(FloatKind::Float, float::infinity),
            ("infl" | "huge_vall", _) => self.float_constant(FloatKind::LongDouble, float::infinity),
            ("nan", _) => self.float_constant(FloatKind::Double, float::nan),
            ("nanf", _) => self.float_constant(FloatKind::Float, float::nan),
            ("nanl", _) => self.float_constant(FloatKind::LongDouble, float::nan),
            (
                "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater" | "isunordered",
                &[a, b],
            ) => self.quiet_comparison(builtin, a, b, span)?,
            ("isnan" | "isinf" | "isinf_sign" | "isfinite" | "finite" | "isnormal", &[value]) => {
                let value = self.rvalue(value)?;
                self.classify(builtin, value, span)?
            }
            ("fpclassify", &[nan, infinite, normal, subnormal, zero, value]) => {
                self.fpclassify([nan, infinite, normal, subnormal, zero], value, span)?
            }
            ("signbit", &[value]) => {
                // Type-generic in gcc: one function for each type here.
                let value = self.rvalue(value)?;
                let function = match self.types.float_kind(self.exprs.type_of(value)) {
                    Some(FloatKind::Float) => "__builtin_signbitf",
                    Some(FloatKind::LongDouble) => "__builtin_signbitl",
                    _ => "__builtin_signbit",
                };
                let function = self.names.intern(function);
                let function = self.declare_implicitly(function, span);
                return Ok(Some(self.call_known(function, vec![value], span)));
            }
            ("clrsb" | "clrsbl" | "clrsbll", &[value]) => {
                return self.count_sign_bits(builtin, value, span).map(Some);
            }
            _ if builtin.contains("_overflow") => {
                return self.overflow_builtin(builtin, args, span).map(Some);
            }
            _ if self.known_signature(&text).is_some() => return Ok(None),
            _ => return self.unsupported(span, format!("the builtin function `{text}`")),
        };
        Ok(Some(Operand::Value(value)))
    }

    fn va_call(&mut self, name: &str, args: Vec<ExprId>, span: Span) -> Lowered<Operand> {
        let symbol = self.names.intern(name);
        let function = match self.linkage.functions.get(&symbol) {
            Some(&function) => function,
            None => {
                let params = vec![self.types.void_ptr; args.len()].into();
                let signature =
                    FunctionType { result: self.types.void, params, is_variadic: false, is_prototype: true };
                let ty = self.types.intern(Type::Function(signature));
                let function = self.new_function(symbol, ty, span);
                self.linkage.functions.insert(symbol, function);
                function
            }
        };
        Ok(self.call_known(function, args, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_sets() {
        for table in [SIGNATURES, MATH] {
            for (i, (name, _)) in table.iter().enumerate() {
                assert!(table[i + 1..].iter().all(|(other, _)| other != name), "{name} twice");
            }
        }
    }
}
