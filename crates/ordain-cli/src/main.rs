//! The `ordain` command.
fn main() {}
