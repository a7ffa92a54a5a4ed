//! Random programs for the Cairo machine: a seed is a program.
//!
//! [`random`] writes them with [`assembler`], as compiled JSON, which `polystark cairo run` takes. Nothing here runs them.
#![forbid(unsafe_code)]

pub mod assembler;
mod curve;
pub mod random;

#[cfg(test)]
mod tests {
    use crate::random::program;

    /// Seed 1 is still the program that the reference's digests in `vectors/cairo/random` are of; another seed is another.
    #[test]
    fn a_seed_is_a_program() {
        let of_vectors = include_str!("../../../vectors/cairo/random/1.json");
        assert_eq!(program(1, false).trim_end(), of_vectors.trim_end());
        assert_ne!(program(2, false), program(1, false));
    }
}
