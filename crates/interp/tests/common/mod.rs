//! Loads C text and runs it.

#![allow(dead_code, reason = "not every test file needs every helper")]

use summa_c::types::DataModel;
use summa_cfa::environment::Environment;
use summa_cfa::{BuildOptions, Cfa};
use summa_interp::{End, FaultKind, InputSource, List, Outcome, Policy, Program, Zeros};

/// Declarations that the tests use instead of headers.
const PRELUDE: &str = "
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *alloca(size_t); void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); char *strcpy(char *, const char *); char *strcat(char *, const char *);
int strcmp(const char *, const char *); char *strchr(const char *, int); char *strdup(const char *);
char *strncpy(char *, const char *, size_t); char *strstr(const char *, const char *);
int printf(const char *, ...); int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...); int puts(const char *);
void abort(void); void exit(int); void reach_error(void);
int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);
double __VERIFIER_nondet_double(void); void __VERIFIER_assume(int);
";

pub(crate) fn cfa(model: DataModel, source: &str) -> Cfa {
    cfa_in(model, source, Environment::default())
}

pub(crate) fn cfa_in(model: DataModel, source: &str, environment: Environment) -> Cfa {
    let size_type = if model == DataModel::Lp64 { "unsigned long" } else { "unsigned int" };
    let text = format!("{PRELUDE}\n{source}").replace("__SIZE_TYPE__", size_type);
    let loaded = summa_c::load_text("test.c", &text, model)
        .unwrap_or_else(|failure| panic!("{source}\n{:#?}", failure.diagnostics));
    summa_transform::build(loaded.program, &BuildOptions { environment, ..BuildOptions::default() })
        .unwrap_or_else(|error| panic!("{source}\n{error}"))
}

pub(crate) fn run_with(
    model: DataModel,
    source: &str,
    inputs: &mut dyn InputSource,
    policy: &Policy,
) -> Outcome {
    let cfa = cfa(model, source);
    summa_interp::run(&Program::new(&cfa), inputs, policy)
}

/// What the program prints in the data model; it must return 0.
pub(crate) fn prints_in(model: DataModel, source: &str) -> String {
    let outcome = run_with(model, source, &mut Zeros, &Policy::strict());
    assert_eq!(outcome.end, End::Returned(0), "{source}\n{outcome:?}");
    String::from_utf8_lossy(&outcome.output).into_owned()
}

/// What the program prints; the same in both data models.
pub(crate) fn prints(source: &str) -> String {
    let text = prints_in(DataModel::Lp64, source);
    assert_eq!(prints_in(DataModel::Ilp32, source), text, "the data models disagree\n{source}");
    text
}

/// The fault that ends the program, in both data models.
pub(crate) fn fault(source: &str) -> FaultKind {
    let ends = [DataModel::Lp64, DataModel::Ilp32]
        .map(|model| run_with(model, source, &mut Zeros, &Policy::strict()).end);
    match &ends[0] {
        End::Fault(fault) => {
            assert_eq!(ends[0], ends[1], "{source}");
            fault.kind
        }
        other => panic!("{source}\n{other:?}"),
    }
}

/// How the program ends with these inputs.
pub(crate) fn ends(source: &str, inputs: &str) -> End {
    let mut inputs = List::parse(inputs).unwrap_or_else(|part| panic!("`{part}` is no input"));
    run_with(DataModel::Ilp32, source, &mut inputs, &Policy::reachability()).end
}
