//! The syntax tree as S-expressions, for tests and for people who want to see what was parsed.
//!
//! Limits: what is nested deeper than [`MAX_DEPTH`] is shown as `…`.

mod code;

use crate::ast::*;
use std::fmt::{self, Write};
use summa_base::{Interner, Symbol};

const MAX_DEPTH: u32 = 400;

/// All items, one per line.
pub fn dump(ast: &Ast, names: &Interner) -> String {
    let mut dumper = Dumper { ast, names, out: String::new(), depth: 0 };
    for &item in &ast.items {
        // Writing to a string does not fail.
        let _ = dumper.item(item).and_then(|()| dumper.out.write_char('\n'));
    }
    dumper.out
}

struct Dumper<'a> {
    ast: &'a Ast,
    names: &'a Interner,
    out: String,
    depth: u32,
}

impl<'a> Dumper<'a> {
    /// Something that can contain itself.
    fn nested(&mut self, show: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        if self.depth == MAX_DEPTH {
            return self.word("…");
        }
        self.depth += 1;
        let result = show(self);
        self.depth -= 1;
        result
    }

    fn word(&mut self, word: &str) -> fmt::Result {
        self.out.write_str(word)
    }

    fn name(&self, symbol: Symbol) -> &'a str {
        self.names.text(symbol)
    }

    /// `(head …)` with what `rest` writes; it starts each part with a space.
    fn form(&mut self, head: &str, rest: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        write!(self.out, "({head}")?;
        rest(self)?;
        self.word(")")
    }

    fn item(&mut self, item: Item) -> fmt::Result {
        match item {
            Item::Function(function) => self.function(function),
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::StaticAssert(assertion) => self.static_assert(assertion),
            Item::Asm(_) => self.word("(asm)"),
        }
    }

    fn static_assert(&mut self, assertion: StaticAssert) -> fmt::Result {
        self.form("static_assert", |d| {
            d.exprs(&[assertion.condition])?;
            assertion.message.map_or(Ok(()), |message| {
                d.word(" ")?;
                d.string(message)
            })
        })
    }

    fn function(&mut self, id: FunctionId) -> fmt::Result {
        let function = &self.ast.functions[id];
        self.nested(|d| {
            d.form("function ", |d| {
                d.specs(&function.specs)?;
                d.word(" ")?;
                d.declarator(&function.declarator)?;
                for &declaration in &function.kr_declarations {
                    d.word(" ")?;
                    d.declaration(declaration)?;
                }
                d.stmts(&[function.body])
            })
        })
    }

    fn declaration(&mut self, id: DeclId) -> fmt::Result {
        let declaration = &self.ast.decls[id];
        self.form("declare ", |d| {
            d.specs(&declaration.specs)?;
            for InitDeclarator { declarator, init } in &declaration.declarators {
                d.word(" ")?;
                d.declarator(declarator)?;
                if let Some(init) = init {
                    d.word(" = ")?;
                    d.init(*init)?;
                }
            }
            Ok(())
        })
    }

    fn specs(&mut self, specs: &DeclSpecs) -> fmt::Result {
        let words = [
            (specs.storage == Storage::Typedef, "typedef "),
            (specs.storage == Storage::Extern, "extern "),
            (specs.storage == Storage::Static, "static "),
            (specs.storage == Storage::Auto, "auto "),
            (specs.storage == Storage::Register, "register "),
            (specs.is_thread_local, "thread_local "),
            (specs.is_inline, "inline "),
            (specs.is_noreturn, "noreturn "),
        ];
        words.iter().filter(|(is_set, _)| *is_set).try_for_each(|(_, word)| self.word(word))?;
        self.quals(specs.quals)?;
        for argument in &specs.alignas {
            self.form("alignas ", |d| match *argument {
                AlignArg::Expr(expr) => d.expr(expr),
                AlignArg::Type(ty) => d.type_name(ty),
            })?;
            self.word(" ")?;
        }
        self.attributes(&specs.attributes)?;
        self.type_spec(specs.ty)
    }

    fn quals(&mut self, quals: Quals) -> fmt::Result {
        let words = [
            (quals.is_const, "const "),
            (quals.is_volatile, "volatile "),
            (quals.is_restrict, "restrict "),
            (quals.is_atomic, "atomic "),
        ];
        words.iter().filter(|(is_set, _)| *is_set).try_for_each(|(_, word)| self.word(word))
    }

    fn attributes(&mut self, attributes: &[Attribute]) -> fmt::Result {
        attributes.iter().try_for_each(|attribute| {
            if attribute.args.is_empty() {
                return write!(self.out, "@{} ", self.name(attribute.name));
            }
            self.form(&format!("@{}", self.name(attribute.name)), |d| d.exprs(&attribute.args))?;
            self.word(" ")
        })
    }

    fn type_spec(&mut self, ty: TypeSpec) -> fmt::Result {
        match ty {
            TypeSpec::Missing => self.word("<none>"),
            TypeSpec::Builtin(builtin) => write!(self.out, "{builtin:?}"),
            TypeSpec::Record(record) => self.nested(|d| d.record(record)),
            TypeSpec::Enum(enumeration) => self.nested(|d| d.enumeration(enumeration)),
            TypeSpec::Typedef(name) => self.word(self.name(name)),
            TypeSpec::TypeofExpr(expr) => self.form("typeof ", |d| d.expr(expr)),
            TypeSpec::TypeofType(ty) => self.form("typeof ", |d| d.type_name(ty)),
            TypeSpec::Atomic(ty) => self.form("_Atomic ", |d| d.type_name(ty)),
            TypeSpec::Auto => self.word("__auto_type"),
        }
    }

    fn record(&mut self, id: RecordSpecId) -> fmt::Result {
        let record = &self.ast.records[id];
        self.form(if record.is_union { "union " } else { "struct " }, |d| {
            d.attributes(&record.attributes)?;
            d.word(record.tag.map_or("<unnamed>", |tag| d.name(tag)))?;
            let Some(members) = &record.members else {
                return Ok(());
            };
            d.word(" {")?;
            for member in members {
                match member {
                    MemberDecl::StaticAssert(assertion) => d.static_assert(*assertion)?,
                    MemberDecl::Fields { specs, declarators, .. } => d.form("", |d| {
                        d.specs(specs)?;
                        declarators.iter().try_for_each(|field| {
                            d.word(" ")?;
                            d.declarator(&field.declarator)?;
                            field.bit_width.map_or(Ok(()), |width| {
                                d.word(" :")?;
                                d.expr(width)
                            })
                        })
                    })?,
                }
            }
            d.word("}")
        })
    }

    fn enumeration(&mut self, id: EnumSpecId) -> fmt::Result {
        let enumeration = &self.ast.enums[id];
        self.form("enum ", |d| {
            d.attributes(&enumeration.attributes)?;
            d.word(enumeration.tag.map_or("<unnamed>", |tag| d.name(tag)))?;
            let Some(enumerators) = &enumeration.enumerators else {
                return Ok(());
            };
            for enumerator in enumerators {
                write!(d.out, " {}", d.name(enumerator.name))?;
                if let Some(value) = enumerator.value {
                    d.word("=")?;
                    d.expr(value)?;
                }
            }
            Ok(())
        })
    }

    fn declarator(&mut self, declarator: &Declarator) -> fmt::Result {
        let name = declarator.name.map_or("_", |name| self.name(name));
        if declarator.derived.is_empty() && declarator.attributes.is_empty() && declarator.asm_label.is_none()
        {
            return self.word(name);
        }
        self.nested(|d| {
            d.form(name, |d| {
                d.derived(&declarator.derived)?;
                if !declarator.attributes.is_empty() {
                    d.word(" ")?;
                    d.attributes(&declarator.attributes)?;
                }
                declarator.asm_label.map_or(Ok(()), |label| {
                    d.word(" asm ")?;
                    d.string(label)
                })
            })
        })
    }

    fn derived(&mut self, derived: &[Derived]) -> fmt::Result {
        for part in derived {
            match part {
                Derived::Pointer(quals) => {
                    self.word(" ")?;
                    self.quals(*quals)?;
                    self.word("ptr")?;
                }
                Derived::Array { size, quals } => {
                    self.word(" ")?;
                    self.quals(*quals)?;
                    match *size {
                        ArraySize::Unknown => self.word("[]")?,
                        ArraySize::Star => self.word("[*]")?,
                        ArraySize::Expr(size) => {
                            self.word("[")?;
                            self.expr(size)?;
                            self.word("]")?;
                        }
                    }
                }
                Derived::Function(function) => self.function_declarator(function)?,
            }
        }
        Ok(())
    }

    fn function_declarator(&mut self, function: &FunctionDeclarator) -> fmt::Result {
        self.word(" ")?;
        self.form(if function.is_prototype { "fn" } else { "old-fn" }, |d| {
            for param in &function.params {
                d.word(" ")?;
                d.specs(&param.specs)?;
                d.word(" ")?;
                d.declarator(&param.declarator)?;
            }
            function.kr_names.iter().try_for_each(|&(name, _)| write!(d.out, " {}", d.names.text(name)))?;
            d.word(if function.is_variadic { " ..." } else { "" })
        })
    }

    fn type_name(&mut self, id: TypeNameId) -> fmt::Result {
        let ty = &self.ast.type_names[id];
        self.nested(|d| {
            if ty.declarator.derived.is_empty() {
                return d.specs(&ty.specs);
            }
            d.form("", |d| {
                d.specs(&ty.specs)?;
                d.derived(&ty.declarator.derived)
            })
        })
    }

    fn init(&mut self, id: InitId) -> fmt::Result {
        match &self.ast.inits[id] {
            Init::Expr(expr) => self.expr(*expr),
            Init::List { entries, .. } => self.nested(|d| {
                d.word("{")?;
                for (index, entry) in entries.iter().enumerate() {
                    d.word(if index > 0 { ", " } else { "" })?;
                    d.designators(&entry.designators)?;
                    d.word(if entry.designators.is_empty() { "" } else { " = " })?;
                    d.init(entry.init)?;
                }
                d.word("}")
            }),
        }
    }

    fn designators(&mut self, designators: &[Designator]) -> fmt::Result {
        designators.iter().try_for_each(|designator| match *designator {
            Designator::Field(name, _) => write!(self.out, ".{}", self.names.text(name)),
            Designator::Index(index) => {
                self.word("[")?;
                self.expr(index)?;
                self.word("]")
            }
            Designator::Range(first, last) => {
                self.word("[")?;
                self.expr(first)?;
                self.word(" ... ")?;
                self.expr(last)?;
                self.word("]")
            }
        })
    }

    fn string(&mut self, id: StringId) -> fmt::Result {
        let string = &self.ast.strings[id];
        self.word(match string.encoding {
            Encoding::Plain => "",
            Encoding::Wide => "L",
            Encoding::Utf16 => "u",
            Encoding::Utf32 => "U",
        })?;
        let show = |&unit: &u32| match char::from_u32(unit).filter(|c| c.is_ascii()) {
            Some(c) => c.escape_default().to_string(),
            None => format!("\\x{unit:x}"),
        };
        let text: String = string.units.iter().map(show).collect();
        write!(self.out, "\"{text}\"")
    }
}
