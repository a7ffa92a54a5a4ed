//! The start of the transcript of a compact proof (section 4).

use alloc::vec::Vec;

use field::Goldilocks;
use gpu_hal::{CosetProtocol, Digest};

use super::{Options, Sizes};

/// Tag and version of the statement. Other contents, another tag.
const TAG: &[u8] = b"polystark compact transcript 1";

/// The digest of the AIR in the statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AirDigest<'a> {
    /// The digest of the recorded AIR.
    #[default]
    OfAir,
    /// The one of a test vector.
    Given(&'a Digest),
}

impl AirDigest<'_> {
    /// Its bytes; the argument has those of the recorded AIR.
    pub fn bytes(self, recorded: impl FnOnce() -> Digest) -> Digest {
        match self {
            Self::OfAir => recorded(),
            Self::Given(digest) => *digest,
        }
    }
}

/// The bytes of the statement, of which the AIR is its digest.
pub fn statement<P: CosetProtocol>(
    air: &Digest,
    sizes: &Sizes,
    public_inputs: &[Goldilocks],
    options: &Options,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut int = |value: u64, data: &[u8]| {
        bytes.extend_from_slice(&value.to_be_bytes());
        bytes.extend_from_slice(data);
    };
    int(TAG.len() as u64, TAG);
    int(P::NAME.len() as u64, P::NAME.as_bytes());
    int(P::DEGREE as u64, air);
    int(1 << sizes.log_rows, &[]);
    let counts = [sizes.main, sizes.aux, sizes.frame_rows, sizes.challenges, sizes.parts];
    counts.into_iter().for_each(|count| int(count as u64, &[]));
    let of_options = options.to_bytes();
    int(of_options.len() as u64, &of_options);
    int(public_inputs.len() as u64, &[]);
    public_inputs.iter().for_each(|input| int(input.value(), &[]));
    bytes
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use gpu_hal::GoldilocksStark;

    use super::super::Suite;
    use super::super::transcript::Transcript;
    use super::*;
    use crate::Hiding;

    fn hex(bytes: &[u8]) -> alloc::string::String {
        alloc::string::ToString::to_string(&field::Hex(bytes))
    }

    /// The bytes of the options and the first state of the vectors of section 16.
    #[test]
    fn the_statements_of_the_text() {
        let rap = Sizes { log_rows: 6, main: 2, aux: 1, frame_rows: 3, challenges: 1, parts: 1 };
        let quadratic = Sizes { main: 1, aux: 0, frame_rows: 2, challenges: 0, parts: 2, ..rap };
        let options = |blowup, queries, coset_offset, points, folds, log_last, work| {
            let (suite, hiding) = (Suite::Keccak256, Hiding::None);
            Options { blowup, queries, coset_offset, points, folds, log_last, work, suite, hiding }
        };
        let three = [Goldilocks::new(3)];
        let vectors: [(_, &[Goldilocks], _, _, _, _); 3] = [
            (
                rap,
                &[],
                [0x11; 32],
                options(4, 5, 3, 1, vec![3, 2], 1, vec![1, 2, 3, 0, 4, 1, 5]),
                "02000000050000000000000003000300010103020101020300040105",
                "c5c065f2b04a8e66de6f7e3d8577aa57e08ec251eb4b4c121fcdacc0da6d41c9",
            ),
            (
                rap,
                &[],
                [0x11; 32],
                options(4, 6, 7, 2, vec![0, 3, 1], 2, vec![0, 0, 0, 3, 0, 2, 0, 4]),
                "020000000600000000000000070003000202000301020000000300020004",
                "a549c3357f90b2216132de0e6e8800bef247be12c922c272da0f50b3967378a9",
            ),
            (
                quadratic,
                &three,
                [0x22; 32],
                options(2, 7, 3, 1, vec![1, 1, 4], 0, vec![0, 1, 0, 0, 0, 1, 0, 3]),
                "010000000700000000000000030003000102010104000001000000010003",
                "45eab4bca1263cedf5af3817381fb4c3c51cad07f25321ac5d50e237e115ff27",
            ),
        ];
        for (sizes, inputs, digest, options, bytes, state) in vectors {
            assert_eq!(hex(&options.to_bytes()), bytes);
            let statement = statement::<GoldilocksStark>(&digest, &sizes, inputs, &options);
            assert_eq!(hex(&Transcript::new(&statement).state()), state);
        }
    }
}
