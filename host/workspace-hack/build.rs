//! No code: Cargo compiles build dependencies of packages with a build script only.

fn main() {}
