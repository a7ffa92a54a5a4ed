//! The statement of a proof, and the expectations of a caller.

use cairo_run::felt::from_words;
use cairo_run::{BuiltinName, Felt252, program_hash};

use crate::mismatch::Mismatch;
use crate::version::{AirProof, AirVersion};

/// The statement of a proof: a run of this program exists, with these builtins, that put out these felts.
///
/// It says nothing about the input of the program, but does not hide it either: no proof here is zero-knowledge. The
/// run is one that cairo-air's components take; for some inputs of builtins no Cairo machine has it (`docs/cairo.md`,
/// "Machine and AIR").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenStatement {
    /// The hash of the program, as [`program_hash`] computes it.
    pub program_hash: Felt252,
    /// Words of the program.
    pub program_words: usize,
    /// Its output.
    pub output: Vec<Felt252>,
    /// The builtins whose pointers main takes and returns, in order.
    pub builtins: Vec<BuiltinName>,
}

impl ProvenStatement {
    /// The statement of a proof, whether or not it is valid.
    pub fn of<P: AirProof>(proof: &P) -> Self {
        let public = P::Version::public_data(proof.claim());
        let memory = &public.memory;
        Self {
            program_hash: program_hash(memory.program.iter().map(|(_, word)| word)),
            program_words: memory.program.len(),
            output: memory.output.iter().map(|(_, word)| from_words(word)).collect(),
            builtins: BuiltinName::PUBLIC.into_iter().filter(|builtin| public.segment(*builtin).is_some()).collect(),
        }
    }
}

/// The expectations of a caller. `Default`: none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// The hash of the program.
    pub program_hash: Option<Felt252>,
    /// All that it puts out.
    pub output: Option<Vec<Felt252>>,
    /// The builtins that main takes, in order. A caller that expects a program without all eleven must name them: the
    /// words of a program say how many it takes, not which. A proof could pass the pointer of one builtin for
    /// another's.
    pub builtins: Option<Vec<BuiltinName>>,
}

impl Expect {
    /// Whether a proof with this statement is the expected one.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, stated: &ProvenStatement) -> Result<(), Mismatch> {
        if let Some(expected) = self.program_hash.filter(|expected| *expected != stated.program_hash) {
            return Err(Mismatch::Program { found: stated.program_hash, expected });
        }
        match &self.builtins {
            Some(expected) if *expected != stated.builtins => {
                return Err(Mismatch::Builtins { found: stated.builtins.clone(), expected: expected.clone() });
            }
            // A program that takes all can't confuse them.
            None if self.program_hash.is_some() && stated.builtins.len() < BuiltinName::PUBLIC.len() => {
                return Err(Mismatch::BuiltinsNotExpected { found: stated.builtins.clone() });
            }
            _ => {}
        }
        let Some(expected) = &self.output else { return Ok(()) };
        if expected.len() != stated.output.len() {
            return Err(Mismatch::OutputLength { found: stated.output.len(), expected: expected.len() });
        }
        match stated.output.iter().zip(expected).enumerate().find(|(_, (found, expected))| found != expected) {
            Some((at, (&found, &expected))) => Err(Mismatch::Output { at, found, expected }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use cairo_air::utils::{construct_f252, encode_and_hash_memory_section};

    use super::*;

    #[test]
    fn the_program_hash_is_the_reference_s() {
        const LONG: u32 = 1 << 31;
        let edge = [
            vec![],
            vec![[0; 8]],
            vec![[u32::MAX, LONG - 1, 0, 0, 0, 0, 0, 0], [0, LONG, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0]],
            vec![[0, 0, 0, 0, 0, 0, 17, 1 << 27], [1, 2, 3, 4, 5, 6, 7, 8], [9, 0, 0, 0, 0, 0, 0, 0]],
        ];
        for words in edge {
            let section = words.iter().map(|word| (0, *word)).collect();
            let expected = construct_f252(&encode_and_hash_memory_section(&section));
            assert_eq!(program_hash(&words).to_string(), expected.to_string());
        }
    }

    fn stated() -> ProvenStatement {
        ProvenStatement {
            program_hash: 7.into(),
            program_words: 10,
            output: vec![1.into(), 2.into()],
            builtins: vec![BuiltinName::Output, BuiltinName::RangeCheck],
        }
    }

    #[test]
    fn what_is_expected_is_compared() {
        let check = |expect: Expect| expect.check(&stated());
        assert_eq!(check(Expect::default()), Ok(()));
        let builtins = Some(vec![BuiltinName::Output, BuiltinName::RangeCheck]);
        let same =
            Expect { program_hash: Some(7.into()), output: Some(vec![1.into(), 2.into()]), builtins: builtins.clone() };
        assert_eq!(check(same.clone()), Ok(()));
        let program = Mismatch::Program { found: 7.into(), expected: 8.into() };
        assert_eq!(check(Expect { program_hash: Some(8.into()), ..same.clone() }), Err(program));
        let length = Mismatch::OutputLength { found: 2, expected: 1 };
        assert_eq!(check(Expect { output: Some(vec![1.into()]), ..same.clone() }), Err(length));
        let felt = Mismatch::Output { at: 1, found: 2.into(), expected: 3.into() };
        assert_eq!(check(Expect { output: Some(vec![1.into(), 3.into()]), ..same.clone() }), Err(felt));
        let others = vec![BuiltinName::Output, BuiltinName::Poseidon];
        let differs = Mismatch::Builtins { found: stated().builtins, expected: others.clone() };
        assert_eq!(check(Expect { builtins: Some(others), ..same }), Err(differs));
    }

    /// The words of the program are the same for any two builtins.
    #[test]
    fn a_program_is_nothing_without_its_builtins() {
        let expect = Expect { program_hash: Some(7.into()), ..Expect::default() };
        assert_eq!(expect.check(&stated()), Err(Mismatch::BuiltinsNotExpected { found: stated().builtins }));
        let all = ProvenStatement { builtins: vec![BuiltinName::Output; BuiltinName::PUBLIC.len()], ..stated() };
        assert_eq!(expect.check(&all), Ok(()));
    }
}
