//! Tells the linker where Z3's shared library is at run time: beside the workspace for binaries that are moved with it,
//! and by its absolute path for target folders elsewhere. Every package with a program that links the solver names this
//! file as its build script, since the arguments of a library do not reach the programs that use it.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let Ok(folder) = env::var("Z3_LIBRARY_PATH_OVERRIDE") else { return };
    let folder = PathBuf::from(folder);
    let absolute = folder.canonicalize().unwrap_or(folder);
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../../third_party/z3/lib");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", absolute.display());
}
