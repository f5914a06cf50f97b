//! The options of gcc (and clang's where they are common), with what each does to the reading of a file.
//!
//! A line stands for an option and, after `-f` and `-m`, for its `no-` form. An option that is not in the
//! table is refused, because it may change the meaning. The list follows the manual of gcc 12.

use super::Switch;

/// Where an option has its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// No argument.
    Alone,
    /// An argument after the name, in the same word; may be empty.
    Joined,
    /// The next word.
    Next,
    /// An argument after the name, or the next word.
    Either,
}

/// What an option does to the reading of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Warnings, optimisation, debugging, linking, output: the program stays the same.
    Ignored,
    /// The preprocessor gets it, after a look at its argument.
    Passed(Argument),
    /// The rest of the front end obeys.
    Obeyed(Switch),
    /// The effect of the option is not supported.
    Refused(&'static str),
    /// `-x`
    Language,
    /// `-std=`
    Standard,
    /// `-Wp,` and `-Xpreprocessor`: options for the preprocessor.
    Inner,
}

/// The condition on an argument that the preprocessor gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    None,
    /// `NAME`, `NAME=VALUE`, `NAME(PARAMETERS)=VALUE`
    Definition,
    Name,
    Folder,
    File,
    /// Letters, digits and `.+-_`.
    Word,
}

pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) effect: Effect,
}

const fn row(name: &'static str, form: Form, effect: Effect) -> Row {
    Row { name, form, effect }
}

use Effect::{Ignored, Inner, Language, Obeyed, Passed, Refused, Standard};
use Form::{Alone, Either, Joined, Next};

const OTHER_PROGRAMS: &str = "it makes the compiler run or load other programs";
const LAYOUT: &str = "it changes how types are laid out";
const FLOATS: &str = "floating-point results are then not those of IEEE arithmetic";
const CHARSET: &str = "only UTF-8 is known as a character set";
const THREADS: &str = "its pragmas make threads";

/// All but `-f…` and `-m…`.
pub(super) const OPTIONS: &[Row] = &[
    // The preprocessor's.
    row("-D", Either, Passed(Argument::Definition)),
    row("-U", Either, Passed(Argument::Name)),
    row("-I", Either, Passed(Argument::Folder)),
    row("-isystem", Either, Passed(Argument::Folder)),
    row("-iquote", Either, Passed(Argument::Folder)),
    row("-idirafter", Either, Passed(Argument::Folder)),
    row("-isysroot", Either, Passed(Argument::Folder)),
    row("--sysroot=", Joined, Passed(Argument::Folder)),
    row("-include", Either, Passed(Argument::File)),
    row("-imacros", Either, Passed(Argument::File)),
    row("-nostdinc", Alone, Passed(Argument::None)),
    row("-nostdinc++", Alone, Ignored),
    row("-undef", Alone, Passed(Argument::None)),
    row("-trigraphs", Alone, Passed(Argument::None)),
    row("-remap", Alone, Passed(Argument::None)),
    row("-pthread", Alone, Passed(Argument::None)),
    row("-std=", Joined, Standard),
    row("--std=", Joined, Standard),
    row("-ansi", Alone, Standard),
    row("-x", Either, Language),
    row("-Wp,", Joined, Inner),
    row("-Xpreprocessor", Next, Inner),
    row("-I-", Alone, Refused("it splits the search for headers")),
    row("-A", Either, Refused("assertions of the preprocessor are not known")),
    row("-iprefix", Either, Refused("it changes other options")),
    row("-iwithprefixbefore", Either, Refused("it depends on other options")),
    row("-iwithprefix", Either, Refused("it depends on other options")),
    row("-imultilib", Either, Refused("it changes where headers are looked for")),
    row("-imultiarch", Either, Refused("it changes where headers are looked for")),
    row("-traditional", Alone, Refused("the preprocessor is then not that of standard C")),
    row("-traditional-cpp", Alone, Refused("the preprocessor is then not that of standard C")),
    // Other programs, other machines.
    row("-B", Either, Refused(OTHER_PROGRAMS)),
    row("-wrapper", Next, Refused(OTHER_PROGRAMS)),
    row("-specs=", Joined, Refused(OTHER_PROGRAMS)),
    row("--specs=", Joined, Refused(OTHER_PROGRAMS)),
    row("-iplugindir=", Joined, Refused(OTHER_PROGRAMS)),
    row("-no-integrated-cpp", Alone, Refused(OTHER_PROGRAMS)),
    row("-Xclang", Next, Refused("what it stands for is not known")),
    row("-arch", Next, Refused("it chooses another machine; -m32 and -m64 are known")),
    row("-target", Next, Refused("it chooses another machine; -m32 and -m64 are known")),
    row("--target=", Joined, Refused("it chooses another machine; -m32 and -m64 are known")),
    row("-Ofast", Alone, Refused(FLOATS)),
    row("-Wl,--wrap", Joined, Refused("the linker then renames functions")),
    row("-Wl,--defsym", Joined, Refused("the linker then defines names")),
    // Warnings, optimisation, debugging, what is written where, linking.
    row("-W", Joined, Ignored),
    row("-w", Alone, Ignored),
    row("-pedantic", Alone, Ignored),
    row("-pedantic-errors", Alone, Ignored),
    row("-O", Joined, Ignored),
    row("-g", Joined, Ignored),
    row("--param=", Joined, Ignored),
    row("--param", Next, Ignored),
    row("-c", Alone, Ignored),
    row("-S", Alone, Ignored),
    row("-E", Alone, Ignored),
    row("-o", Either, Ignored),
    row("-MF", Either, Ignored),
    row("-MT", Either, Ignored),
    row("-MQ", Either, Ignored),
    row("-MD", Alone, Ignored),
    row("-MMD", Alone, Ignored),
    row("-M", Alone, Ignored),
    row("-MM", Alone, Ignored),
    row("-MG", Alone, Ignored),
    row("-MP", Alone, Ignored),
    row("-C", Alone, Ignored),
    row("-CC", Alone, Ignored),
    row("-H", Alone, Ignored),
    row("-P", Alone, Ignored),
    row("-v", Alone, Ignored),
    row("-Q", Alone, Ignored),
    row("-p", Alone, Ignored),
    row("-pg", Alone, Ignored),
    row("-pipe", Alone, Ignored),
    row("-time", Alone, Ignored),
    row("-save-temps", Joined, Ignored),
    row("-dumpbase", Next, Ignored),
    row("-dumpbase-ext", Next, Ignored),
    row("-dumpdir", Next, Ignored),
    row("-d", Joined, Ignored),
    row("-coverage", Alone, Ignored),
    row("--coverage", Alone, Ignored),
    row("-Qunused-arguments", Alone, Ignored),
    row("-Xassembler", Next, Ignored),
    row("-Xlinker", Next, Ignored),
    row("-l", Either, Ignored),
    row("-L", Either, Ignored),
    row("-T", Either, Ignored),
    row("-u", Either, Ignored),
    row("-z", Either, Ignored),
    row("-e", Either, Ignored),
    row("-r", Alone, Ignored),
    row("-s", Alone, Ignored),
    row("-static", Joined, Ignored),
    row("-shared", Joined, Ignored),
    row("-rdynamic", Alone, Ignored),
    row("-symbolic", Alone, Ignored),
    row("-pie", Alone, Ignored),
    row("-no-pie", Alone, Ignored),
    row("-nopie", Alone, Ignored),
    row("-nostartfiles", Alone, Ignored),
    row("-nodefaultlibs", Alone, Ignored),
    row("-nolibc", Alone, Ignored),
    row("-nostdlib", Alone, Ignored),
];

/// Options with `-f` that are not just ignored, without the `-f`: the effect of `-fNAME`, and of `-fno-NAME`.
pub(super) const FLAGS: &[(&str, Effect, Effect)] = &[
    ("unsigned-char", Obeyed(Switch::UnsignedChar(true)), Obeyed(Switch::UnsignedChar(false))),
    ("signed-char", Obeyed(Switch::UnsignedChar(false)), Obeyed(Switch::UnsignedChar(true))),
    ("short-enums", Obeyed(Switch::ShortEnums(true)), Obeyed(Switch::ShortEnums(false))),
    ("ms-extensions", Obeyed(Switch::MsExtensions(true)), Obeyed(Switch::MsExtensions(false))),
    ("wrapv", Obeyed(Switch::Wraps(true)), Obeyed(Switch::Wraps(false))),
    ("strict-overflow", Obeyed(Switch::Wraps(false)), Obeyed(Switch::Wraps(true))),
    // Which of several inline definitions counts is the same to us; the headers ask a macro.
    ("gnu89-inline", Passed(Argument::None), Passed(Argument::None)),
    ("pic", Passed(Argument::None), Passed(Argument::None)),
    ("PIC", Passed(Argument::None), Passed(Argument::None)),
    ("pie", Passed(Argument::None), Passed(Argument::None)),
    ("PIE", Passed(Argument::None), Passed(Argument::None)),
    ("freestanding", Passed(Argument::None), Passed(Argument::None)),
    ("hosted", Passed(Argument::None), Passed(Argument::None)),
    ("macro-prefix-map=", Passed(Argument::Word), Refused("there is no such option")),
    ("file-prefix-map=", Passed(Argument::Word), Refused("there is no such option")),
    ("input-charset=UTF-8", Ignored, Ignored),
    ("input-charset=utf-8", Ignored, Ignored),
    ("exec-charset=UTF-8", Ignored, Ignored),
    ("exec-charset=utf-8", Ignored, Ignored),
    ("input-charset=", Refused(CHARSET), Refused(CHARSET)),
    ("exec-charset=", Refused(CHARSET), Refused(CHARSET)),
    ("wide-exec-charset=", Refused(CHARSET), Refused(CHARSET)),
    ("trapv", Refused("signed overflow would end the program"), Ignored),
    ("pack-struct", Refused(LAYOUT), Ignored),
    ("pack-struct=", Refused(LAYOUT), Ignored),
    ("sso-struct=", Refused(LAYOUT), Ignored),
    ("short-wchar", Refused("`wchar_t` would have 16 bits"), Ignored),
    ("unsigned-bitfields", Refused("plain bit-fields would be unsigned"), Ignored),
    ("signed-bitfields", Ignored, Refused("plain bit-fields would be unsigned")),
    ("plan9-extensions", Refused("it changes how members are found"), Ignored),
    ("asm", Ignored, Refused("`asm`, `inline` and `typeof` would be ordinary names")),
    ("fast-math", Refused(FLOATS), Ignored),
    ("unsafe-math-optimizations", Refused(FLOATS), Ignored),
    ("finite-math-only", Refused(FLOATS), Ignored),
    ("associative-math", Refused(FLOATS), Ignored),
    ("reciprocal-math", Refused(FLOATS), Ignored),
    ("signed-zeros", Ignored, Refused(FLOATS)),
    ("single-precision-constant", Refused("constants of type `double` would be `float`"), Ignored),
    ("trivial-auto-var-init=uninitialized", Ignored, Ignored),
    ("trivial-auto-var-init=", Refused("variables without initialiser would have a value"), Ignored),
    ("openmp", Refused(THREADS), Ignored),
    ("openacc", Refused(THREADS), Ignored),
    ("gnu-tm", Refused("transactional memory is not known"), Ignored),
    ("instrument-functions", Refused("every function would call others"), Ignored),
    ("blocks", Refused("blocks are not known"), Ignored),
    ("modules", Refused("modules are not known"), Ignored),
    ("preprocessed", Refused("directives would have no effect"), Ignored),
    ("plugin=", Refused(OTHER_PROGRAMS), Refused(OTHER_PROGRAMS)),
    ("plugin-arg-", Refused(OTHER_PROGRAMS), Refused(OTHER_PROGRAMS)),
];

/// Options with `-m` that are not just passed to the preprocessor, without the `-m`.
pub(super) const MACHINE: &[(&str, Effect)] = &[
    ("32", Obeyed(Switch::Wide(false))),
    ("64", Obeyed(Switch::Wide(true))),
    ("x32", Refused("a data model of 32-bit pointers on 64-bit machines is not known; -m32 and -m64 are")),
    ("16", Refused("code for 16-bit mode is not known; -m32 and -m64 are")),
    ("iamcu", Refused(LAYOUT)),
    ("abi=ms", Refused(LAYOUT)),
    ("align-double", Refused(LAYOUT)),
    ("ms-bitfields", Refused(LAYOUT)),
    ("android", Refused(LAYOUT)),
    ("bionic", Refused(LAYOUT)),
    ("96bit-long-double", Refused(LAYOUT)),
    ("128bit-long-double", Refused(LAYOUT)),
    ("long-double-64", Refused("`long double` would be another type")),
    ("long-double-128", Refused("`long double` would be another type")),
    ("long-double-80", Ignored),
    ("recip", Refused(FLOATS)),
    ("recip=", Refused(FLOATS)),
    ("pc32", Refused(FLOATS)),
    ("pc64", Refused(FLOATS)),
    ("tune=", Ignored),
];
