//! Build tasks.

fn main() {}
