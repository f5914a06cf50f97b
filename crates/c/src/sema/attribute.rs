//! `__attribute__` and `_Alignas`: those that change types, layout or linkage. All others are hints to the
//! compiler and are passed over.

use super::{Lowered, Sema};
use crate::tree::VarId;
use crate::types::{DataModel, FloatKind, IntKind, Type, TypeId};
use summa_syntax::Span;
use summa_syntax::ast::{self, AlignArg, Attribute, DeclSpecs, Derived, ExprKind, TypeSpec};

/// `__attribute__((aligned))` without a number: gcc's `__BIGGEST_ALIGNMENT__` on x86 without AVX.
const BIGGEST_ALIGNMENT: u64 = 16;

/// gcc's limit for objects in ELF files.
const MAX_ALIGNMENT: i128 = 1 << 28;

/// Attributes that change how a type is laid out or computed with in a way that is not modelled.
const UNSUPPORTED_TYPE_ATTRIBUTES: [&str; 5] =
    ["vector_size", "ext_vector_type", "scalar_storage_order", "ms_struct", "transparent_union"];

impl<'a> Sema<'a> {
    pub(crate) fn attribute<'b>(&self, attributes: &'b [Attribute], name: &str) -> Option<&'b Attribute> {
        attributes.iter().find(|a| self.names.text(a.name) == name)
    }

    pub(crate) fn has_attribute(&self, attributes: &[Attribute], name: &str) -> bool {
        self.attribute(attributes, name).is_some()
    }

    /// The strictest `aligned(n)` of a list.
    pub(crate) fn aligned_attribute(&mut self, attributes: &[Attribute]) -> Lowered<Option<u64>> {
        let mut strictest = None;
        for attribute in attributes {
            if self.names.text(attribute.name) != "aligned" {
                continue;
            }
            let align = match attribute.args.first() {
                None => BIGGEST_ALIGNMENT,
                Some(&arg) => {
                    let value = self.constant(arg)?;
                    self.alignment_value(value, attribute.span)?
                }
            };
            strictest = strictest.max(Some(align));
        }
        Ok(strictest)
    }

    /// The strictest `_Alignas` of a declaration; `_Alignas(0)` has no effect.
    pub(crate) fn alignas(&mut self, specs: &DeclSpecs) -> Lowered<Option<u64>> {
        let mut strictest = None;
        for arg in &specs.alignas {
            let align = match *arg {
                AlignArg::Expr(expr) => match self.constant(expr)? {
                    0 => continue,
                    value => self.alignment_value(value, specs.span)?,
                },
                AlignArg::Type(name) => {
                    let ty = self.type_name_type(name)?;
                    self.types.align_of(ty)
                }
            };
            strictest = strictest.max(Some(align));
        }
        Ok(strictest)
    }

    /// Keeps the alignment that a variable gets by its declaration: the requested one, or that of its
    /// typedef. Errors have been reported when this returns.
    pub(crate) fn note_alignment(&mut self, var: VarId, specs: &DeclSpecs, declarator: &ast::Declarator) {
        let of_typedef = match specs.ty {
            TypeSpec::Typedef(name) if !declarator.derived.iter().any(is_pointer_or_function) => {
                self.scopes.typedef_align(name)
            }
            _ => None,
        };
        if of_typedef.is_none()
            && specs.alignas.is_empty()
            && specs.attributes.is_empty()
            && declarator.attributes.is_empty()
        {
            return;
        }
        let asked = [
            self.aligned_attribute(&specs.attributes),
            self.aligned_attribute(&declarator.attributes),
            self.alignas(specs),
        ];
        let align = asked.into_iter().flatten().flatten().max().or(of_typedef);
        if let Some(align) = align {
            self.declared.alignments.insert(var, align);
        }
    }

    fn alignment_value(&mut self, value: i128, span: Span) -> Lowered<u64> {
        if (1..=MAX_ALIGNMENT).contains(&value) && value & (value - 1) == 0 {
            return Ok(value as u64);
        }
        self.error(span, format!("an alignment must be a power of two up to {MAX_ALIGNMENT}, not {value}"))
    }

    /// The base type of a declaration after the attributes that replace it (`mode`) or are refused.
    pub(crate) fn attributed_type(&mut self, ty: TypeId, attributes: &[Attribute]) -> Lowered<TypeId> {
        for attribute in attributes {
            let name = self.names.text(attribute.name);
            if let Some(&name) = UNSUPPORTED_TYPE_ATTRIBUTES.iter().find(|n| **n == name) {
                return self.unsupported(attribute.span, format!("attribute `{name}`"));
            }
        }
        match self.attribute(attributes, "mode") {
            Some(attribute) => self.mode_type(ty, attribute),
            None => Ok(ty),
        }
    }

    /// `mode(DI)` and the like: the type of that machine mode with the signedness of `ty`.
    fn mode_type(&mut self, ty: TypeId, attribute: &Attribute) -> Lowered<TypeId> {
        let ast = self.ast;
        let Some(ExprKind::Ident(mode)) = attribute.args.first().map(|&arg| &ast.exprs[arg].kind) else {
            return self.error(attribute.span, "attribute `mode` needs the name of a machine mode");
        };
        let mode = self.text(*mode);
        let mode = mode.trim_matches('_');
        let wide = self.types.model == DataModel::Lp64;
        let float = match mode {
            "SF" => Some(FloatKind::Float),
            "DF" => Some(FloatKind::Double),
            "XF" => Some(FloatKind::LongDouble),
            "TF" => Some(FloatKind::Float128),
            _ => None,
        };
        let signed = match mode {
            "QI" | "byte" => Some(IntKind::SignedChar),
            "HI" => Some(IntKind::Short),
            "SI" => Some(IntKind::Int),
            "DI" => Some(if wide { IntKind::Long } else { IntKind::LongLong }),
            "TI" if wide => Some(IntKind::Int128),
            "word" | "pointer" | "unwind_word" => Some(if wide { IntKind::Long } else { IntKind::Int }),
            _ => None,
        };
        match (self.types.get(ty), signed, float) {
            (Type::Int(base), Some(kind), _) => {
                let kind = if base.is_signed() { kind } else { kind.to_unsigned() };
                Ok(self.types.int_type(kind))
            }
            (Type::Float(_), _, Some(kind)) => Ok(self.types.intern(Type::Float(kind))),
            _ => self.unsupported(attribute.span, format!("machine mode `{mode}`")),
        }
    }

    /// The name under which a declaration is linked: its `asm` label, or its own.
    pub(crate) fn linked_name(
        &mut self,
        declarator: &ast::Declarator,
        name: summa_base::Symbol,
    ) -> Lowered<summa_base::Symbol> {
        let ast = self.ast;
        let Some(label) = declarator.asm_label else { return Ok(name) };
        let text: Option<String> =
            ast.strings[label].units.iter().map(|&unit| char::from_u32(unit)).collect();
        match text {
            Some(text) if !text.is_empty() => Ok(self.names.intern(&text)),
            _ => self.error(declarator.span, "this assembler name is not text"),
        }
    }
}

fn is_pointer_or_function(derived: &Derived) -> bool {
    !matches!(derived, Derived::Array { .. })
}
