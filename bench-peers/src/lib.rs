//! Speed next to other projects: see the benches.
