//! The binary finds Z3's shared library beside the workspace it was built in, or where it was when it was built.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    println!("cargo:rerun-if-changed=build.rs");
    let Ok(folder) = env::var("Z3_LIBRARY_PATH_OVERRIDE") else { return };
    let folder = PathBuf::from(folder);
    let folder = folder.canonicalize().unwrap_or(folder);
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../../third_party/z3/lib");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
}
