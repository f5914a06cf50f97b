//! Tokens: their kinds, the words that are keywords, and how they are called in messages.

use crate::Span;
use summa_base::{Id, Interner, Symbol};

/// One token of the preprocessed text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) lo: u32,
    pub(crate) hi: u32,
    /// The word of an identifier or keyword; of no meaning for other kinds.
    pub(crate) symbol: Symbol,
    pub(crate) kind: TokenKind,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span::new(self.lo, self.hi)
    }
}

/// Declares the kinds: those with a class of texts, punctuators with their text, keywords with all spellings.
macro_rules! token_kinds {
    (classes { $($class:ident = $class_text:literal,)+ }
     punctuators { $($punct:ident = $punct_text:literal,)+ }
     keywords { $($keyword:ident = $first:literal $(| $other:literal)*,)+ }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum TokenKind { $($class,)+ $($punct,)+ $($keyword,)+ }

        impl TokenKind {
            /// For messages: "`;`", "an identifier".
            pub(crate) fn describe(self) -> &'static str {
                match self {
                    $(Self::$class => $class_text,)+
                    $(Self::$punct => concat!("`", $punct_text, "`"),)+
                    $(Self::$keyword => concat!("`", $first, "`"),)+
                }
            }
        }

        const KEYWORDS: &[(&str, TokenKind)] = &[
            $(($first, TokenKind::$keyword), $(($other, TokenKind::$keyword),)*)+
        ];
    };
}

token_kinds! {
    classes {
        Eof = "the end of the file",
        Identifier = "an identifier",
        Number = "a number",
        Char = "a character constant",
        String = "a string",
    }
    punctuators {
        LParen = "(",
        RParen = ")",
        LBracket = "[",
        RBracket = "]",
        LBrace = "{",
        RBrace = "}",
        Semicolon = ";",
        Comma = ",",
        Colon = ":",
        Question = "?",
        Dot = ".",
        Ellipsis = "...",
        Arrow = "->",
        PlusPlus = "++",
        MinusMinus = "--",
        Plus = "+",
        Minus = "-",
        Star = "*",
        Slash = "/",
        Percent = "%",
        Amp = "&",
        AmpAmp = "&&",
        Pipe = "|",
        PipePipe = "||",
        Caret = "^",
        Tilde = "~",
        Bang = "!",
        Less = "<",
        Greater = ">",
        LessEqual = "<=",
        GreaterEqual = ">=",
        EqualEqual = "==",
        BangEqual = "!=",
        Shl = "<<",
        Shr = ">>",
        Equal = "=",
        PlusEqual = "+=",
        MinusEqual = "-=",
        StarEqual = "*=",
        SlashEqual = "/=",
        PercentEqual = "%=",
        AmpEqual = "&=",
        PipeEqual = "|=",
        CaretEqual = "^=",
        ShlEqual = "<<=",
        ShrEqual = ">>=",
        Hash = "#",
        HashHash = "##",
    }
    keywords {
        // Storage classes and function specifiers.
        Typedef = "typedef",
        Extern = "extern",
        Static = "static",
        Auto = "auto",
        Register = "register",
        ThreadLocal = "_Thread_local" | "__thread",
        Inline = "inline" | "__inline" | "__inline__",
        Noreturn = "_Noreturn",
        // Qualifiers.
        Const = "const" | "__const" | "__const__",
        Volatile = "volatile" | "__volatile" | "__volatile__",
        Restrict = "restrict" | "__restrict" | "__restrict__",
        Atomic = "_Atomic",
        // Words of other compilers that say nothing about the type.
        IgnoredQualifier = "_Nullable" | "_Nonnull" | "_Null_unspecified" | "__nullable" | "__nonnull",
        // Type specifiers.
        Void = "void",
        Bool = "_Bool",
        CharWord = "char",
        Short = "short",
        Int = "int",
        Long = "long",
        Signed = "signed" | "__signed" | "__signed__",
        Unsigned = "unsigned" | "__unsigned" | "__unsigned__",
        Float = "float" | "_Float32",
        Double = "double",
        // `_Float64` and `_Float32x` have the format of `double`, but do not combine with `long`.
        DoubleAlone = "_Float64" | "_Float32x",
        LongDoubleAlone = "_Float64x" | "__float80",
        Float128 = "_Float128" | "__float128",
        Complex = "_Complex" | "__complex__" | "__complex",
        Int128 = "__int128",
        Int128Alone = "__int128_t",
        UnsignedInt128Alone = "__uint128_t",
        VaList = "__builtin_va_list",
        OtherFloat = "_Float16" | "__bf16" | "_Decimal32" | "_Decimal64" | "_Decimal128",
        AutoType = "__auto_type",
        Typeof = "typeof" | "__typeof" | "__typeof__",
        Struct = "struct",
        Union = "union",
        Enum = "enum",
        Alignas = "_Alignas",
        Attribute = "__attribute__" | "__attribute",
        Extension = "__extension__",
        // Statements.
        If = "if",
        Else = "else",
        While = "while",
        Do = "do",
        For = "for",
        Switch = "switch",
        Case = "case",
        Default = "default",
        Break = "break",
        Continue = "continue",
        Return = "return",
        Goto = "goto",
        Label = "__label__",
        Asm = "asm" | "__asm" | "__asm__",
        StaticAssert = "_Static_assert",
        // Expressions.
        Sizeof = "sizeof",
        Alignof = "_Alignof",
        GnuAlignof = "__alignof" | "__alignof__",
        Real = "__real__" | "__real",
        Imag = "__imag__" | "__imag",
        Generic = "_Generic",
        VaArg = "__builtin_va_arg",
        Offsetof = "__builtin_offsetof",
        TypesCompatible = "__builtin_types_compatible_p",
        ChooseExpr = "__builtin_choose_expr",
        Pragma = "_Pragma",
    }
}

/// Distinguishes keywords from identifiers by the number of their symbol.
pub(crate) struct Keywords {
    kinds: Vec<TokenKind>,
}

impl Keywords {
    /// Interns all spellings. In a new interner they get the first numbers, which keeps the table small.
    pub(crate) fn new(names: &mut Interner) -> Self {
        let mut kinds = Vec::new();
        for &(spelling, kind) in KEYWORDS {
            let index = names.intern(spelling).index();
            if kinds.len() <= index {
                kinds.resize(index + 1, TokenKind::Identifier);
            }
            kinds[index] = kind;
        }
        Self { kinds }
    }

    #[inline]
    pub(crate) fn kind(&self, word: Symbol) -> TokenKind {
        self.kinds.get(word.index()).copied().unwrap_or(TokenKind::Identifier)
    }
}

impl TokenKind {
    /// Can a type name, as in a cast, start with this word? (An identifier can if it is a typedef name.)
    #[inline]
    pub(crate) fn starts_type(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            Const
                | Volatile
                | Restrict
                | Atomic
                | IgnoredQualifier
                | Void
                | Bool
                | CharWord
                | Short
                | Int
                | Long
                | Signed
                | Unsigned
                | Float
                | Double
                | DoubleAlone
                | LongDoubleAlone
                | Float128
                | Complex
                | Int128
                | Int128Alone
                | UnsignedInt128Alone
                | VaList
                | OtherFloat
                | AutoType
                | Typeof
                | Struct
                | Union
                | Enum
                | Attribute
        )
    }

    /// Can the specifiers of a declaration start with this word?
    #[inline]
    pub(crate) fn starts_specifiers(self) -> bool {
        use TokenKind::*;
        self.starts_type()
            || matches!(
                self,
                Typedef | Extern | Static | Auto | Register | ThreadLocal | Inline | Noreturn | Alignas
            )
    }
}
