//! The building blocks of the fast backend: vector instructions chosen at run time, work shared by rayon.

pub(crate) mod arith;
pub mod hash;
pub mod ntt;
