//! Structs, unions and enums: tags and their scopes, members, enumerators. The layout itself is in
//! `layout.rs`.
//!
//! A specifier is looked at once: the second time (the same type name lowered again) it gives the same type.
//! Limits: a record with a member of a type that is not supported is itself not supported wherever it is
//! mentioned.

use super::layout::{Layout, Member, Rules, layout};
use super::scope::{Binding, Tag};
use super::types::{Aligned, Context, Qualified};
use super::{Lowered, Sema, Stop};
use crate::types::{ArrayLen, BitField, Field, IntKind, RecordId, Type, TypeId};
use summa_base::{FxHashSet, Symbol};
use summa_syntax::Diagnostic;
use summa_syntax::Span;
use summa_syntax::ast::{self, DeclSpecs, EnumSpec, FieldDeclarator, MemberDecl, RecordSpec, TypeSpec};

/// A member on its way into the layout.
struct NewField {
    name: Option<Symbol>,
    ty: TypeId,
    quals: Qualified,
    member: Member,
    span: Span,
}

impl<'a> Sema<'a> {
    /// `struct S`, `struct S { … }` and the same with `union`. `alone`: nothing else stands in the
    /// declaration, so that `struct S;` declares a new tag.
    pub(crate) fn record_type(&mut self, id: ast::RecordSpecId, alone: bool) -> Lowered<TypeId> {
        let ast = self.ast;
        let spec = &ast.records[id];
        if let Some(&ty) = self.declared.record_specs.get(&id) {
            return self.supported_record(ty, spec.span);
        }
        let known = match spec.tag {
            Some(tag) if alone || spec.members.is_some() => self.scopes.lookup_tag_here(tag),
            Some(tag) => self.scopes.lookup_tag(tag),
            None => None,
        };
        let ty = match (known, spec.tag) {
            (Some(tag), Some(name)) => self.expect_record_tag(tag, name, spec)?,
            _ => {
                let (_, ty) = self.types.new_record(spec.tag, spec.is_union, spec.span);
                if let Some(tag) = spec.tag {
                    self.scopes.bind_tag(tag, if spec.is_union { Tag::Union(ty) } else { Tag::Struct(ty) });
                }
                ty
            }
        };
        if let Some(members) = &spec.members {
            self.define_record(id, ty, spec, members)?;
        }
        self.supported_record(ty, spec.span)
    }

    fn expect_record_tag(&mut self, tag: Tag, name: Symbol, spec: &RecordSpec) -> Lowered<TypeId> {
        match tag {
            Tag::Struct(ty) if !spec.is_union => Ok(ty),
            Tag::Union(ty) if spec.is_union => Ok(ty),
            _ => self.wrong_tag(name, spec.span),
        }
    }

    fn wrong_tag<T>(&mut self, name: Symbol, span: Span) -> Lowered<T> {
        let name = self.text(name);
        self.error(span, format!("`{name}` is the tag of another kind of type"))
    }

    fn supported_record(&mut self, ty: TypeId, span: Span) -> Lowered<TypeId> {
        let why = self.types.record_of(ty).and_then(|record| self.declared.unsupported_records.get(&record));
        match why.cloned() {
            Some(why) => self.unsupported(span, why),
            None => Ok(ty),
        }
    }

    fn define_record(
        &mut self,
        id: ast::RecordSpecId,
        ty: TypeId,
        spec: &'a RecordSpec,
        members: &'a [MemberDecl],
    ) -> Lowered<()> {
        let Some(record) = self.types.record_of(ty) else { return Err(Stop) };
        if self.types.record(record).is_complete || self.declared.open_records.contains(&record) {
            let name = self.type_name(ty);
            let first = self.types.record(record).span;
            self.report(
                Diagnostic::error(spec.span, format!("`{name}` is defined twice"))
                    .related(first, "first defined here"),
            );
            return Err(Stop);
        }
        self.declared.record_specs.insert(id, ty);
        self.types.record_mut(record).span = spec.span;
        self.declared.open_records.push(record);
        let (result, stmts) = self.collect(|s| s.complete_record(record, spec, members));
        self.declared.open_records.pop();
        if result.is_err() {
            // After an error: known but without members, so that only the first mention complains.
            self.types.record_mut(record).is_complete = true;
            if let Some(why) = super::declare::unsupported_reason(&stmts) {
                let name = self.type_name(ty);
                self.declared.unsupported_records.insert(record, format!("`{name}`, because of {why}"));
                return Ok(());
            }
        }
        result?;
        self.limit_depth(ty, spec.span)
    }

    fn complete_record(
        &mut self,
        record: RecordId,
        spec: &'a RecordSpec,
        members: &'a [MemberDecl],
    ) -> Lowered<()> {
        self.attributed_type(self.types.int, &spec.attributes)?;
        let is_packed = self.has_attribute(&spec.attributes, "packed");
        let least_align = self.aligned_attribute(&spec.attributes)?.unwrap_or(1);
        let mut fields = Vec::new();
        for member in members {
            match member {
                MemberDecl::StaticAssert(assert) => self.static_assert(assert)?,
                MemberDecl::Fields { specs, declarators, span } => {
                    let base = self.specs_aligned(specs)?;
                    if declarators.is_empty() {
                        fields.extend(self.anonymous_member(specs, base, is_packed, *span)?);
                    }
                    for declarator in declarators {
                        fields.push(self.field(specs, base, declarator, is_packed)?);
                    }
                }
            }
        }
        self.check_field_types(&fields, spec)?;
        self.check_field_names(&fields)?;
        let shapes: Vec<Member> = fields.iter().map(|f| f.member).collect();
        let pack = self.pack_limit(spec.span);
        let rules = Rules { model: self.types.model, is_union: spec.is_union, least_align, pack };
        let Some(Layout { bit_offsets, aligns, size, align }) = layout(rules, &shapes) else {
            return self.error(spec.span, "this type is too large");
        };
        let is_visible = |f: &NewField| f.member.bits.is_none() || f.name.is_some();
        let fields = fields.iter().zip(bit_offsets.iter().zip(&aligns)).filter(|(f, _)| is_visible(f));
        let fields = fields.map(|(f, (&bit, &align))| Field {
            name: f.name,
            ty: f.ty,
            offset: bit / 8,
            align,
            bits: f.member.bits.map(|width| BitField { offset: bit, width }),
            is_volatile: f.quals.is_volatile,
            is_atomic: f.quals.is_atomic,
        });
        let fields = fields.collect();
        let record = self.types.record_mut(record);
        (record.fields, record.size, record.align, record.is_complete) = (fields, size, align, true);
        Ok(())
    }

    /// The `#pragma pack` in force where a record ends.
    fn pack_limit(&self, record: Span) -> Option<u64> {
        let packs = &self.ast.packs;
        packs[..packs.partition_point(|pack| pack.at <= record.hi)].last()?.limit
    }

    /// `struct { … };` inside a record is a member without a name; with a tag it only declares the tag,
    /// unless Microsoft's extensions are asked for: then any mention of a structure is a member.
    fn anonymous_member(
        &mut self,
        specs: &DeclSpecs,
        base: Aligned,
        in_packed: bool,
        span: Span,
    ) -> Lowered<Option<NewField>> {
        let is_record = self.types.record_of(base.ty).is_some();
        let is_member = matches!(specs.ty, TypeSpec::Record(id) if self.ast.records[id].tag.is_none())
            || self.dialect.ms_extensions == Some(true) && is_record;
        if !is_member {
            if !matches!(specs.ty, TypeSpec::Record(_) | TypeSpec::Enum(_)) {
                self.warn(span, "this declares no member");
            }
            return Ok(None);
        }
        let member = Member {
            size: self.types.size_of(base.ty).unwrap_or(0),
            align: self.types.align_of(base.ty),
            user_align: self.aligned_attribute(&specs.attributes)?.max(self.alignas(specs)?),
            is_packed: in_packed || self.has_attribute(&specs.attributes, "packed"),
            bits: None,
            is_named: false,
        };
        Ok(Some(NewField { name: None, ty: base.ty, quals: base.quals, member, span }))
    }

    fn field(
        &mut self,
        specs: &DeclSpecs,
        base: Aligned,
        field: &FieldDeclarator,
        in_packed: bool,
    ) -> Lowered<NewField> {
        let declarator = &field.declarator;
        let declared = self.declared_type(base, declarator, Context::Ordinary)?;
        let bits = match field.bit_width {
            Some(width) => Some(self.bit_width(width, declared.ty, declarator)?),
            None => None,
        };
        let user_align = self
            .aligned_attribute(&specs.attributes)?
            .max(self.aligned_attribute(&declarator.attributes)?)
            .max(self.alignas(specs)?);
        let is_packed = in_packed
            || self.has_attribute(&specs.attributes, "packed")
            || self.has_attribute(&declarator.attributes, "packed");
        let member = Member {
            size: self.types.size_of(declared.ty).unwrap_or(0),
            align: declared.align.unwrap_or_else(|| self.types.align_of(declared.ty)),
            user_align,
            is_packed,
            bits,
            is_named: declarator.name.is_some(),
        };
        let Aligned { ty, quals, .. } = declared;
        Ok(NewField { name: declarator.name, ty, quals, member, span: declarator.span })
    }

    fn bit_width(&mut self, width: ast::ExprId, ty: TypeId, declarator: &ast::Declarator) -> Lowered<u32> {
        let span = self.ast.exprs[width].span;
        let width = self.constant(width)?;
        let Some(kind) = self.types.int_kind(ty) else {
            return self.error(declarator.span, "a bit-field must have an integer type");
        };
        let most = if kind == IntKind::Bool { 1 } else { 8 * kind.size(self.types.model) as i128 };
        if width < 0 || width > most {
            let name = self.type_name(ty);
            return self
                .error(span, format!("a bit-field of type `{name}` has at most {most} bits, not {width}"));
        }
        if width == 0 && declarator.name.is_some() {
            return self.error(span, "a bit-field with a name has at least one bit");
        }
        Ok(width as u32)
    }

    fn check_field_types(&mut self, fields: &[NewField], spec: &RecordSpec) -> Lowered<()> {
        for (i, field) in fields.iter().enumerate() {
            if self.variable_length(field.ty).is_some() {
                return self.unsupported(field.span, "a member of variable length");
            }
            let is_flexible = matches!(self.types.get(field.ty), Type::Array(_, ArrayLen::Unknown));
            // GNU also allows flexible arrays in unions.
            if is_flexible && (spec.is_union || i + 1 == fields.len()) {
                continue;
            }
            if is_flexible {
                return self.error(field.span, "a flexible array must be the last member");
            }
            if !self.is_complete(field.ty) {
                let name = self.type_name(field.ty);
                return self.error(field.span, format!("a member cannot have the incomplete type `{name}`"));
            }
        }
        Ok(())
    }

    /// Each name once, those in anonymous members included.
    fn check_field_names(&mut self, fields: &[NewField]) -> Lowered<()> {
        let mut seen = FxHashSet::default();
        for field in fields {
            for name in self.visible_names(field.name, field.ty) {
                if !seen.insert(name) {
                    let name = self.text(name);
                    return self.error(field.span, format!("there are two members `{name}`"));
                }
            }
        }
        Ok(())
    }

    fn visible_names(&self, name: Option<Symbol>, ty: TypeId) -> Vec<Symbol> {
        match (name, self.types.record_of(ty)) {
            (Some(name), _) => vec![name],
            (None, Some(record)) => {
                let fields = &self.types.record(record).fields;
                fields.iter().flat_map(|f| self.visible_names(f.name, f.ty)).collect()
            }
            (None, None) => Vec::new(),
        }
    }

    // ---- enums ----

    /// `enum E` and `enum E { … }`. An enum that is not (yet) defined counts as `unsigned int`, as in gcc.
    pub(crate) fn enum_type(&mut self, id: ast::EnumSpecId, alone: bool) -> Lowered<TypeId> {
        let ast = self.ast;
        let spec = &ast.enums[id];
        if let Some(&ty) = self.declared.enum_specs.get(&id) {
            return Ok(ty);
        }
        let Some(enumerators) = &spec.enumerators else {
            let Some(tag) = spec.tag else {
                return self.error(spec.span, "an enum needs a tag or enumerators");
            };
            let known = if alone { self.scopes.lookup_tag_here(tag) } else { self.scopes.lookup_tag(tag) };
            return match known {
                Some(Tag::Enum(ty)) => Ok(ty),
                Some(_) => self.wrong_tag(tag, spec.span),
                None => {
                    self.scopes.bind_tag(tag, Tag::Enum(self.types.unsigned_int));
                    Ok(self.types.unsigned_int)
                }
            };
        };
        let ty = self.define_enum(spec, enumerators)?;
        self.declared.enum_specs.insert(id, ty);
        if let Some(tag) = spec.tag {
            if !matches!(self.scopes.lookup_tag_here(tag), None | Some(Tag::Enum(_))) {
                return self.wrong_tag(tag, spec.span);
            }
            self.scopes.bind_tag(tag, Tag::Enum(ty));
        }
        Ok(ty)
    }

    /// Enumerators that fit into `int` have that type; the others have the type of the enum, which is
    /// `unsigned int`, or `int` if there is a negative one, or a wider type of the same signedness.
    fn define_enum(&mut self, spec: &EnumSpec, enumerators: &'a [ast::Enumerator]) -> Lowered<TypeId> {
        let mut values = Vec::with_capacity(enumerators.len());
        let mut next = 0i128;
        for enumerator in enumerators {
            let value = match enumerator.value {
                Some(expr) => self.constant(expr)?,
                None => next,
            };
            if value > i128::from(u64::MAX) || value < i128::from(i64::MIN) {
                return self.error(enumerator.span, format!("the enumerator {value} has more than 64 bits"));
            }
            self.declare_enumerator(enumerator, value)?;
            values.push(value);
            next = value + 1;
        }
        let least = values.iter().copied().min().unwrap_or(0);
        let most = values.iter().copied().max().unwrap_or(0);
        let is_packed =
            self.has_attribute(&spec.attributes, "packed") || self.dialect.short_enums == Some(true);
        let Some(kind) = self.enum_kind(least, most, is_packed) else {
            return self.error(spec.span, "no integer type holds all values of this enum");
        };
        let ty = self.types.int_type(kind);
        for (enumerator, &value) in enumerators.iter().zip(&values) {
            if i32::try_from(value).is_err() {
                self.scopes.bind(enumerator.name, Binding::Enumerator(value, ty));
            }
        }
        self.attributed_type(ty, &spec.attributes)
    }

    /// Visible at once: the next enumerator may use it.
    fn declare_enumerator(&mut self, enumerator: &ast::Enumerator, value: i128) -> Lowered<()> {
        if self.scopes.lookup_here(enumerator.name).is_some() {
            let name = self.text(enumerator.name);
            return self.error(enumerator.span, format!("`{name}` is declared twice in this scope"));
        }
        let wide = if value < 0 { IntKind::LongLong } else { IntKind::UnsignedLongLong };
        let kind = match value {
            _ if i32::try_from(value).is_ok() => IntKind::Int,
            _ if u32::try_from(value).is_ok() => IntKind::UnsignedInt,
            _ => wide,
        };
        let ty = self.types.int_type(kind);
        self.scopes.bind(enumerator.name, Binding::Enumerator(value, ty));
        Ok(())
    }

    fn enum_kind(&self, least: i128, most: i128, is_packed: bool) -> Option<IntKind> {
        let small = [IntKind::SignedChar, IntKind::Short];
        let wide = [IntKind::Int, IntKind::Long, IntKind::LongLong];
        let signed = small.into_iter().filter(|_| is_packed).chain(wide);
        let candidates = signed.map(|kind| if least < 0 { kind } else { kind.to_unsigned() });
        candidates.into_iter().find(|kind| {
            let bits = 8 * kind.size(self.types.model) as u32;
            if least < 0 {
                least >= -(1i128 << (bits - 1)) && most < 1i128 << (bits - 1)
            } else {
                most < 1i128 << bits
            }
        })
    }
}
