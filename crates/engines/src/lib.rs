//! The engines: assembled from the parts below, each a configuration or a plain function over them.
//!
//! Never: printing, files, the command line.

pub mod bmc;
