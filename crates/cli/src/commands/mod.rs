//! One file per command: what to do in which order. How things are said is in `report.rs`.

pub(crate) mod cfa;
pub(crate) mod run;
pub(crate) mod verify;
