//! Random programs for the Cairo machine: a seed is a program, and its effect is known.
//!
//! [`random`] writes them with [`assembler`], as compiled JSON, which `polystark cairo run` takes. [`machine`] says
//! what they must do: every cell of the memory, each step, and the output. It is a machine of its own, which shares no
//! code with the one that runs them. `liar`, behind a feature of that name, is a malicious prover of such runs with a
//! dial for each lie.
#![forbid(unsafe_code)]

pub mod assembler;
mod curve;
#[cfg(feature = "liar")]
pub mod liar;
pub mod machine;
pub mod random;

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use crate::machine::run;
    use crate::random::{draw, program};

    /// Seed 1 is still the program that the reference's digests in `vectors/cairo/random` are of; another seed is
    /// another.
    #[test]
    fn a_seed_is_a_program() {
        let of_vectors = include_str!("../../../vectors/cairo/random/1.json");
        assert_eq!(program(1, false).trim_end(), of_vectors.trim_end());
        assert_ne!(program(2, false), program(1, false));
    }

    /// As long as the reference says. A program that is given too few steps, or whose first instruction is none, has no
    /// run.
    #[test]
    fn a_program_has_a_run() {
        let program = draw(1, false);
        assert_eq!(run(&program, 2000).unwrap().steps(), 1383);
        assert_eq!(run(&program, 1382).unwrap_err().what, "it has not ended");
        for word in [BigUint::from(1u32) << 66, BigUint::ZERO] {
            let mut none = program.clone();
            none.words[0] = word;
            assert_eq!(run(&none, 2000).unwrap_err().step, 0);
        }
    }
}
