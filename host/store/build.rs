//! The migrations are part of the program: a new one must be seen.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
