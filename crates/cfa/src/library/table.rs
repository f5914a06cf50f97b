//! The table from names to models.
//!
//! One row per function. Spellings that follow a rule are not rows of their own: `__builtin_` before the name
//! of a C library function, the suffixes `f` and `l` of the mathematical ones, and any suffix of
//! `__VERIFIER_nondet_` and `nondet_`.

use super::{Ctype, Digits, LibFn, Math, Model, State};
use std::sync::LazyLock;
use summa_base::FxHashMap;

/// The meaning of a call of the function `name` without body; None: it is external.
pub fn model(name: &str) -> Option<Model> {
    if let Some(&found) = INDEX.get(name) {
        return Some(found);
    }
    if let Some(suffix) = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_")) {
        return Some(if matches!(suffix, "bool" | "_Bool") { Model::NondetBool } else { Model::Nondet });
    }
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    if let Some(&found) = INDEX.get(plain) {
        return Some(found);
    }
    let unsuffixed = [name, plain].into_iter().filter_map(|name| INDEX.get(name.strip_suffix(['f', 'l'])?));
    unsuffixed.copied().find(|model| matches!(model, Model::Lib(LibFn::Math(_), _)))
}

/// Every row with its meaning in a line, for people. The families of names come first.
pub fn table() -> Vec<(&'static str, String)> {
    let families = [("__VERIFIER_nondet_*", Model::Nondet), ("nondet_*", Model::Nondet)];
    families.iter().chain(ROWS).map(|&(name, model)| (name, meaning(model))).collect()
}

/// The names that stand for a function with a description, and nothing but that, with the function.
pub fn modelled() -> impl Iterator<Item = (&'static str, LibFn)> {
    ROWS.iter().filter_map(|&(name, model)| match model {
        Model::Lib(function, []) => Some((name, function)),
        _ => None,
    })
}

static INDEX: LazyLock<FxHashMap<&'static str, Model>> = LazyLock::new(|| ROWS.iter().copied().collect());

fn meaning(model: Model) -> String {
    match model {
        Model::Lib(function, []) => format!("modelled as {function:?}"),
        Model::Lib(function, dropped) => {
            let places: Vec<String> = dropped.iter().map(|i| (i + 1).to_string()).collect();
            format!("modelled as {function:?}; argument {} has no influence", places.join(" and "))
        }
        Model::Nondet => "an input of the program: any value of the declared type".to_string(),
        Model::NondetBool => "an input of the program: 0 or 1".to_string(),
        Model::Assume => "executions in which the first argument is zero do not count".to_string(),
        Model::Assert => "an error if the first argument is zero".to_string(),
        Model::AssertFail => "an error: a failed assertion".to_string(),
        Model::Abort => "the run ends abnormally, which is no error".to_string(),
        Model::Exit => "the run ends".to_string(),
        Model::Unreachable => "undefined behaviour that the program promises not to reach".to_string(),
        Model::First => "the result is the first argument".to_string(),
        Model::NoEffect => "no effect on the state; any result".to_string(),
        Model::State(state) => match state {
            State::SetRounding => "modelled: it sets the rounding mode".to_string(),
            State::GetRounding => "modelled: it gives the rounding mode".to_string(),
            State::SetEnvironment => {
                "the default environment is modelled, others are not supported".to_string()
            }
            State::Errno => "modelled: where `errno` is".to_string(),
            State::Random => "an input of the program, unless it gives a seed".to_string(),
            State::Seed => "any result; from then on numbers depend on the seed".to_string(),
            State::Locale => "any result; what characters mean may change".to_string(),
            State::Remembers { .. } => {
                "any result; it may change what earlier arguments and results of its kind reach".to_string()
            }
            State::StreamBuffer(_) => "modelled without a buffer, otherwise not supported".to_string(),
        },
        Model::Digits(digits) => format!("modelled: digits as a number of type {digits:?}"),
        Model::Unsupported(why) => format!("not supported: {why}"),
    }
}

const fn lib(function: LibFn) -> Model {
    Model::Lib(function, &[])
}

const fn math(function: Math) -> Model {
    Model::Lib(LibFn::Math(function), &[])
}

const fn ctype(function: Ctype) -> Model {
    Model::Lib(LibFn::Ctype(function), &[])
}

const fn remembers(group: &'static str, kept: &'static [usize]) -> Model {
    Model::State(State::Remembers { group, kept })
}

const TRAPS: Model = Model::Unsupported("floating-point exceptions may end the program from then on");
const ROUNDS: Model = Model::Unsupported("it changes how floating-point operations round");
const CALLS_BACK: Model = Model::Unsupported("it calls back into the program");
const JUMPS: Model = Model::Unsupported("it jumps between functions");
const CONCURRENT: Model = Model::Unsupported("it starts another thread or process");
const HANDLER: Model = Model::Unsupported("it registers code that runs at an unknown time");
const REPLACES: Model = Model::Unsupported("it replaces the running program");
const ALLOCATES: Model = Model::Unsupported("it allocates memory behind a pointer argument");

#[rustfmt::skip]
static ROWS: &[(&str, Model)] = &[
    // Verification primitives.
    ("__VERIFIER_assume", Model::Assume),
    ("__CPROVER_assume", Model::Assume),
    ("__ESBMC_assume", Model::Assume),
    ("__builtin_assume", Model::Assume),
    ("assume_abort_if_not", Model::Assume),
    ("__VERIFIER_assert", Model::Assert),
    ("__CPROVER_assert", Model::Assert),
    ("__ESBMC_assert", Model::Assert),
    ("assert", Model::Assert),
    ("__assert_fail", Model::AssertFail),
    ("__assert_perror_fail", Model::AssertFail),
    ("__assert", Model::AssertFail),
    ("__assert_rtn", Model::AssertFail),
    ("__assert_func", Model::AssertFail),
    // Ends of the run.
    ("abort", Model::Abort),
    ("__builtin_trap", Model::Abort),
    ("exit", Model::Exit),
    ("_exit", Model::Exit),
    ("_Exit", Model::Exit),
    ("quick_exit", Model::Exit),
    ("__builtin_unreachable", Model::Unreachable),
    // Hints to the compiler.
    ("__builtin_expect", Model::First),
    ("__builtin_expect_with_probability", Model::First),
    ("__builtin_assume_aligned", Model::First),
    ("__builtin_prefetch", Model::NoEffect),
    ("__builtin___clear_cache", Model::NoEffect),
    ("__sync_synchronize", Model::NoEffect),
    ("__atomic_thread_fence", Model::NoEffect),
    ("__atomic_signal_fence", Model::NoEffect),
    // Memory.
    ("malloc", lib(LibFn::Malloc)),
    ("valloc", lib(LibFn::Malloc)),
    ("aligned_alloc", Model::Lib(LibFn::Malloc, &[0])),
    ("memalign", Model::Lib(LibFn::Malloc, &[0])),
    ("posix_memalign", ALLOCATES),
    ("asprintf", ALLOCATES),
    ("vasprintf", ALLOCATES),
    ("getline", ALLOCATES),
    ("calloc", lib(LibFn::Calloc)),
    ("realloc", lib(LibFn::Realloc)),
    ("free", lib(LibFn::Free)),
    ("cfree", lib(LibFn::Free)),
    ("alloca", lib(LibFn::Alloca)),
    ("__alloca", lib(LibFn::Alloca)),
    ("alloca_with_align", Model::Lib(LibFn::Alloca, &[1])),
    ("memcpy", lib(LibFn::Memcpy)),
    ("memmove", lib(LibFn::Memmove)),
    ("memset", lib(LibFn::Memset)),
    ("memcmp", lib(LibFn::Memcmp)),
    ("bcmp", lib(LibFn::Memcmp)),
    ("memchr", lib(LibFn::Memchr)),
    ("__memcpy_chk", Model::Lib(LibFn::Memcpy, &[3])),
    ("__memmove_chk", Model::Lib(LibFn::Memmove, &[3])),
    ("__memset_chk", Model::Lib(LibFn::Memset, &[3])),
    // Strings.
    ("strlen", lib(LibFn::Strlen)),
    ("strnlen", lib(LibFn::Strnlen)),
    ("strcpy", lib(LibFn::Strcpy)),
    ("strncpy", lib(LibFn::Strncpy)),
    ("strcat", lib(LibFn::Strcat)),
    ("strncat", lib(LibFn::Strncat)),
    ("strcmp", lib(LibFn::Strcmp)),
    ("strncmp", lib(LibFn::Strncmp)),
    ("strchr", lib(LibFn::Strchr)),
    ("index", lib(LibFn::Strchr)),
    ("strrchr", lib(LibFn::Strrchr)),
    ("rindex", lib(LibFn::Strrchr)),
    ("strstr", lib(LibFn::Strstr)),
    ("strspn", lib(LibFn::Strspn)),
    ("strcspn", lib(LibFn::Strcspn)),
    ("strpbrk", lib(LibFn::Strpbrk)),
    ("strdup", lib(LibFn::Strdup)),
    ("__strdup", lib(LibFn::Strdup)),
    ("__strcpy_chk", Model::Lib(LibFn::Strcpy, &[2])),
    ("__strncpy_chk", Model::Lib(LibFn::Strncpy, &[3])),
    ("__strcat_chk", Model::Lib(LibFn::Strcat, &[2])),
    ("__strncat_chk", Model::Lib(LibFn::Strncat, &[3])),
    // Output.
    ("printf", lib(LibFn::Printf)),
    ("__printf_chk", Model::Lib(LibFn::Printf, &[0])),
    ("fprintf", lib(LibFn::Fprintf)),
    ("__fprintf_chk", Model::Lib(LibFn::Fprintf, &[1])),
    ("sprintf", lib(LibFn::Sprintf)),
    ("__sprintf_chk", Model::Lib(LibFn::Sprintf, &[1, 2])),
    ("snprintf", lib(LibFn::Snprintf)),
    ("__snprintf_chk", Model::Lib(LibFn::Snprintf, &[2, 3])),
    ("puts", lib(LibFn::Puts)),
    ("perror", lib(LibFn::Puts)),
    ("fputs", Model::Lib(LibFn::Puts, &[1])),
    ("fputs_unlocked", Model::Lib(LibFn::Puts, &[1])),
    ("putchar", lib(LibFn::Putchar)),
    ("putchar_unlocked", lib(LibFn::Putchar)),
    ("putc", Model::Lib(LibFn::Putchar, &[1])),
    ("fputc", Model::Lib(LibFn::Putchar, &[1])),
    ("_IO_putc", Model::Lib(LibFn::Putchar, &[1])),
    ("vprintf", Model::NoEffect),
    ("vfprintf", Model::NoEffect),
    ("fflush", Model::NoEffect),
    // Integers.
    ("abs", lib(LibFn::Abs)),
    ("labs", lib(LibFn::Labs)),
    ("llabs", lib(LibFn::Llabs)),
    ("__builtin_bswap16", lib(LibFn::Bswap16)),
    ("__builtin_bswap32", lib(LibFn::Bswap32)),
    ("__builtin_bswap64", lib(LibFn::Bswap64)),
    ("__builtin_clz", lib(LibFn::Clz)),
    ("__builtin_clzl", lib(LibFn::Clzl)),
    ("__builtin_clzll", lib(LibFn::Clzll)),
    ("__builtin_ctz", lib(LibFn::Ctz)),
    ("__builtin_ctzl", lib(LibFn::Ctzl)),
    ("__builtin_ctzll", lib(LibFn::Ctzll)),
    ("__builtin_popcount", lib(LibFn::Popcount)),
    ("__builtin_popcountl", lib(LibFn::Popcountl)),
    ("__builtin_popcountll", lib(LibFn::Popcountll)),
    ("__builtin_parity", lib(LibFn::Parity)),
    ("__builtin_parityl", lib(LibFn::Parityl)),
    ("__builtin_parityll", lib(LibFn::Parityll)),
    ("ffs", lib(LibFn::Ffs)),
    ("ffsl", lib(LibFn::Ffsl)),
    ("ffsll", lib(LibFn::Ffsll)),
    // Characters.
    ("isalnum", ctype(Ctype::Alnum)),
    ("isalpha", ctype(Ctype::Alpha)),
    ("isblank", ctype(Ctype::Blank)),
    ("iscntrl", ctype(Ctype::Cntrl)),
    ("isdigit", ctype(Ctype::Digit)),
    ("isgraph", ctype(Ctype::Graph)),
    ("islower", ctype(Ctype::Lower)),
    ("isprint", ctype(Ctype::Print)),
    ("ispunct", ctype(Ctype::Punct)),
    ("isspace", ctype(Ctype::Space)),
    ("isupper", ctype(Ctype::Upper)),
    ("isxdigit", ctype(Ctype::Xdigit)),
    ("tolower", ctype(Ctype::ToLower)),
    ("toupper", ctype(Ctype::ToUpper)),
    // Floating point. As a function, glibc's `isinf` tells the sign; the compiler's builtin does not.
    ("fabs", math(Math::Fabs)),
    ("sqrt", math(Math::Sqrt)),
    ("floor", math(Math::Floor)),
    ("ceil", math(Math::Ceil)),
    ("trunc", math(Math::Trunc)),
    ("round", math(Math::Round)),
    ("rint", math(Math::Rint)),
    ("nearbyint", math(Math::Nearbyint)),
    ("lround", math(Math::Lround)),
    ("llround", math(Math::Llround)),
    ("lrint", math(Math::Lrint)),
    ("llrint", math(Math::Llrint)),
    ("fmod", math(Math::Fmod)),
    ("remainder", math(Math::Remainder)),
    ("drem", math(Math::Remainder)),
    ("fmin", math(Math::Fmin)),
    ("fmax", math(Math::Fmax)),
    ("fdim", math(Math::Fdim)),
    ("copysign", math(Math::Copysign)),
    ("isnan", math(Math::Isnan)),
    ("__isnan", math(Math::Isnan)),
    ("__builtin_isinf", math(Math::Isinf)),
    ("__builtin_isinf_sign", math(Math::IsinfSign)),
    ("isinf", math(Math::IsinfSign)),
    ("__isinf", math(Math::IsinfSign)),
    ("isfinite", math(Math::Isfinite)),
    ("finite", math(Math::Isfinite)),
    ("__finite", math(Math::Isfinite)),
    ("isnormal", math(Math::Isnormal)),
    ("signbit", math(Math::Signbit)),
    ("__signbit", math(Math::Signbit)),
    ("__fpclassify", math(Math::Fpclassify)),
    ("modf", math(Math::Modf)),
    ("fma", math(Math::Fma)),
    ("ldexp", math(Math::Ldexp)),
    ("scalbn", math(Math::Ldexp)),
    ("scalbln", math(Math::Ldexp)),
    ("frexp", math(Math::Frexp)),
    ("ilogb", math(Math::Ilogb)),
    ("logb", math(Math::Logb)),
    ("nextafter", math(Math::Nextafter)),
    ("sin", math(Math::Sin)),
    ("cos", math(Math::Cos)),
    ("tan", math(Math::Tan)),
    ("asin", math(Math::Asin)),
    ("acos", math(Math::Acos)),
    ("atan", math(Math::Atan)),
    ("atan2", math(Math::Atan2)),
    ("sinh", math(Math::Sinh)),
    ("cosh", math(Math::Cosh)),
    ("tanh", math(Math::Tanh)),
    ("exp", math(Math::Exp)),
    ("exp2", math(Math::Exp2)),
    ("log", math(Math::Log)),
    ("log2", math(Math::Log2)),
    ("log10", math(Math::Log10)),
    ("pow", math(Math::Pow)),
    ("cbrt", math(Math::Cbrt)),
    ("hypot", math(Math::Hypot)),
    ("expm1", math(Math::Expm1)),
    ("log1p", math(Math::Log1p)),
    // Numbers from digits.
    ("strtol", Model::Digits(Digits::Long)),
    ("strtoul", Model::Digits(Digits::UnsignedLong)),
    ("strtoll", Model::Digits(Digits::LongLong)),
    ("strtoull", Model::Digits(Digits::UnsignedLongLong)),
    ("strtoimax", Model::Digits(Digits::LongLong)),
    ("strtoumax", Model::Digits(Digits::UnsignedLongLong)),
    ("atoi", Model::Digits(Digits::Long)),
    ("atol", Model::Digits(Digits::Long)),
    ("atoll", Model::Digits(Digits::LongLong)),
    // State behind functions: how floating-point operations round.
    ("fesetround", Model::State(State::SetRounding)),
    ("fegetround", Model::State(State::GetRounding)),
    ("fesetenv", Model::State(State::SetEnvironment)),
    ("feupdateenv", Model::State(State::SetEnvironment)),
    ("fesetmode", Model::State(State::SetEnvironment)),
    ("feenableexcept", TRAPS),
    ("__builtin_ia32_ldmxcsr", ROUNDS),
    ("_mm_setcsr", ROUNDS),
    ("fpsetround", ROUNDS),
    ("__setfpucw", ROUNDS),
    // State behind functions: `errno`, random numbers, the locale.
    ("__errno_location", Model::State(State::Errno)),
    ("__errno", Model::State(State::Errno)),
    ("__error", Model::State(State::Errno)),
    ("rand", Model::State(State::Random)),
    ("random", Model::State(State::Random)),
    ("srand", Model::State(State::Seed)),
    ("srandom", Model::State(State::Seed)),
    ("initstate", Model::State(State::Seed)),
    ("setstate", Model::State(State::Seed)),
    ("setlocale", Model::State(State::Locale)),
    ("uselocale", Model::State(State::Locale)),
    // State behind functions: pointers that are kept, results that later calls overwrite.
    ("strtok", remembers("strtok", &[0])),
    ("asctime", remembers("asctime", &[])),
    ("ctime", remembers("asctime", &[])),
    ("gmtime", remembers("gmtime", &[])),
    ("localtime", remembers("gmtime", &[])),
    ("strerror", remembers("strerror", &[])),
    ("strsignal", remembers("strsignal", &[])),
    ("localeconv", remembers("localeconv", &[])),
    ("nl_langinfo", remembers("localeconv", &[])),
    ("getenv", remembers("environment", &[])),
    ("secure_getenv", remembers("environment", &[])),
    ("setenv", remembers("environment", &[])),
    ("unsetenv", remembers("environment", &[])),
    ("putenv", remembers("environment", &[0])),
    ("tmpnam", remembers("tmpnam", &[0])),
    ("ttyname", remembers("ttyname", &[])),
    ("getlogin", remembers("getlogin", &[])),
    ("getpwnam", remembers("getpwnam", &[])),
    ("getpwuid", remembers("getpwnam", &[])),
    ("getpwent", remembers("getpwnam", &[])),
    ("getgrnam", remembers("getgrnam", &[])),
    ("getgrgid", remembers("getgrnam", &[])),
    ("getgrent", remembers("getgrnam", &[])),
    ("gethostbyname", remembers("gethostbyname", &[])),
    ("gethostbyaddr", remembers("gethostbyname", &[])),
    ("getservbyname", remembers("getservbyname", &[])),
    ("getservbyport", remembers("getservbyname", &[])),
    ("getprotobyname", remembers("getprotobyname", &[])),
    ("inet_ntoa", remembers("inet_ntoa", &[])),
    ("basename", remembers("basename", &[0])),
    ("__xpg_basename", remembers("basename", &[0])),
    ("dirname", remembers("basename", &[0])),
    ("crypt", remembers("crypt", &[])),
    ("ecvt", remembers("ecvt", &[])),
    ("fcvt", remembers("ecvt", &[])),
    ("ptsname", remembers("ptsname", &[])),
    ("l64a", remembers("l64a", &[])),
    ("readdir", remembers("readdir", &[])),
    ("getmntent", remembers("getmntent", &[])),
    ("hsearch", remembers("hsearch", &[])),
    ("setbuf", Model::State(State::StreamBuffer(1))),
    ("setbuffer", Model::State(State::StreamBuffer(1))),
    ("setvbuf", Model::State(State::StreamBuffer(1))),
    // Variadic functions.
    ("va_start", lib(LibFn::VaStart)),
    ("va_arg", lib(LibFn::VaArg)),
    ("va_end", lib(LibFn::VaEnd)),
    ("va_copy", lib(LibFn::VaCopy)),
    // What escapes the rule for external functions.
    ("setjmp", JUMPS),
    ("_setjmp", JUMPS),
    ("sigsetjmp", JUMPS),
    ("__sigsetjmp", JUMPS),
    ("longjmp", JUMPS),
    ("_longjmp", JUMPS),
    ("siglongjmp", JUMPS),
    ("getcontext", JUMPS),
    ("setcontext", JUMPS),
    ("makecontext", JUMPS),
    ("swapcontext", JUMPS),
    ("fork", CONCURRENT),
    ("vfork", CONCURRENT),
    ("clone", CONCURRENT),
    ("pthread_create", CONCURRENT),
    ("thrd_create", CONCURRENT),
    ("pthread_exit", Model::Unsupported("it ends a thread")),
    ("thrd_exit", Model::Unsupported("it ends a thread")),
    ("atexit", HANDLER),
    ("at_quick_exit", HANDLER),
    ("on_exit", HANDLER),
    ("__cxa_atexit", HANDLER),
    ("signal", HANDLER),
    ("bsd_signal", HANDLER),
    ("sigaction", HANDLER),
    ("raise", Model::Unsupported("it raises a signal")),
    ("kill", Model::Unsupported("it raises a signal")),
    ("pthread_once", CALLS_BACK),
    ("call_once", CALLS_BACK),
    ("qsort", CALLS_BACK),
    ("qsort_r", CALLS_BACK),
    ("bsearch", CALLS_BACK),
    ("lfind", CALLS_BACK),
    ("lsearch", CALLS_BACK),
    ("tsearch", CALLS_BACK),
    ("tfind", CALLS_BACK),
    ("tdelete", CALLS_BACK),
    ("twalk", CALLS_BACK),
    ("ftw", CALLS_BACK),
    ("nftw", CALLS_BACK),
    ("execl", REPLACES),
    ("execlp", REPLACES),
    ("execle", REPLACES),
    ("execv", REPLACES),
    ("execvp", REPLACES),
    ("execve", REPLACES),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_in_the_table_twice() {
        let mut names: Vec<&str> = ROWS.iter().map(|row| row.0).collect();
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|w| w[0] == w[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
        assert_eq!(table().len(), ROWS.len() + 2);
    }

    #[test]
    fn regular_spellings_need_no_row() {
        assert_eq!(model("__builtin_memcpy"), Some(lib(LibFn::Memcpy)));
        assert_eq!(model("__builtin___memcpy_chk"), Some(Model::Lib(LibFn::Memcpy, &[3])));
        assert_eq!(model("__VERIFIER_nondet_ushort"), Some(Model::Nondet));
        assert_eq!(model("nondet_bool"), Some(Model::NondetBool));
        assert_eq!(model("__isinff"), Some(math(Math::IsinfSign)));
        assert_eq!(model("__builtin_isinf"), Some(math(Math::Isinf)));
        assert_eq!(model("__builtin_isinfl"), Some(math(Math::Isinf)));
        assert_eq!(model("__builtin_fabsf"), Some(math(Math::Fabs)));
    }

    #[test]
    fn suffixes_are_only_for_mathematics() {
        assert_eq!(model("fmodf"), Some(math(Math::Fmod)));
        assert_eq!(model("modf"), Some(math(Math::Modf)), "not `mod` with a suffix");
        assert_eq!(model("modff"), Some(math(Math::Modf)));
        assert_eq!(model("exitl"), None);
        assert_eq!(model("mallocf"), None);
        assert_eq!(model("foo"), None);
        assert_eq!(model(""), None);
    }
}
