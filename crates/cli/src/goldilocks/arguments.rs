//! Arguments of the Goldilocks protocol alone.

use clap::Args;

use crate::values::{Bytes, bytes, first_given, integer, seed};
use sdk::ProofOptions;
use sdk::goldilocks::{ExpectOptions, ExpectSeed, Extras, FixedOptions};
use sdk::goldilocks_proof::Suite;

/// Options of a proof.
#[derive(Args)]
pub(crate) struct GoldilocksOptionArguments {
    /// Points of the extended domain per row, a power of two from 2 to 128 [default: by --security; in bench 4, or more
    /// if the AIR needs it]
    #[arg(long, value_name = "B")]
    blowup: Option<u32>,
    /// Number of queries [default: by --security; in bench 41, circle: 40]
    #[arg(long, value_name = "Q")]
    queries: Option<u32>,
    /// Bits of proof of work, 0 to 64 [default: by --security; in bench 20]
    #[arg(long, value_name = "G")]
    grinding: Option<u32>,
    /// First point of the extended domain [default: 3]
    #[arg(long, value_name = "H", value_parser = integer)]
    coset_offset: Option<u64>,
    /// Hash function of the Merkle trees: keccak256 or poseidon2 [default: keccak256]
    #[arg(long)]
    hash: Option<Suite>,
    /// Start the transcript with these bytes (hexadecimal, may be empty) instead of the seed that binds the statement
    #[arg(long, value_name = "HEX", value_parser = bytes)]
    transcript_seed: Option<Bytes>,
}

impl GoldilocksOptionArguments {
    /// The number of queries, which every protocol has.
    pub(crate) fn queries(&self) -> Option<u32> {
        self.queries
    }

    /// The options of a proof whose AIR has as many composition parts.
    pub(super) fn options(&self, parts: usize, defaults: &ProofOptions) -> ProofOptions {
        // The extended domain must hold the composition polynomial.
        let least = u32::try_from(parts.next_power_of_two()).unwrap_or(u32::MAX);
        ProofOptions {
            blowup: self.blowup.unwrap_or_else(|| least.max(defaults.blowup)),
            queries: self.queries.unwrap_or(defaults.queries),
            grinding: self.grinding.unwrap_or(defaults.grinding),
            coset_offset: self.coset_offset.unwrap_or(defaults.coset_offset),
            suite: self.hash.unwrap_or(defaults.suite),
        }
    }

    /// The ones that are looked for if they are not given.
    pub(super) fn given_options(&self) -> FixedOptions {
        FixedOptions { blowup: self.blowup, queries: self.queries, grinding: self.grinding }
    }

    pub(super) fn extras(&self) -> Extras {
        Extras { seed: self.transcript_seed.as_ref().map(|Bytes(seed)| seed.clone()) }
    }

    /// Whether a seed is given.
    pub(crate) fn has_seed(&self) -> bool {
        self.transcript_seed.is_some()
    }

    /// An option that only the Goldilocks protocol has, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        first_given([
            ("--blowup", self.blowup.is_some()),
            ("--grinding", self.grinding.is_some()),
            ("--coset-offset", self.coset_offset.is_some()),
            ("--hash", self.hash.is_some()),
            ("--transcript-seed", self.transcript_seed.is_some()),
        ])
    }
}

/// Options that a proof must have.
#[derive(Args)]
pub(crate) struct GoldilocksExpectArguments {
    /// Refuse other hash functions
    #[arg(long, value_name = "HASH")]
    expect_hash: Option<Suite>,
    /// Refuse other blowups
    #[arg(long, value_name = "B")]
    expect_blowup: Option<u32>,
    /// Refuse other numbers of queries
    #[arg(long, value_name = "Q")]
    expect_queries: Option<u32>,
    /// Refuse other grinding factors
    #[arg(long, value_name = "G")]
    expect_grinding: Option<u32>,
    /// Refuse other coset offsets
    #[arg(long, value_name = "H", value_parser = integer)]
    expect_coset_offset: Option<u64>,
    /// Refuse other transcript seeds: hexadecimal, may be empty, or `default` for the one that binds the statement
    /// [default: default]
    #[arg(long, value_name = "HEX|default", value_parser = seed)]
    expect_seed: Option<ExpectSeed>,
}

impl GoldilocksExpectArguments {
    /// An expectation that only the Goldilocks protocol has, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        first_given([
            ("--expect-hash", self.expect_hash.is_some()),
            ("--expect-blowup", self.expect_blowup.is_some()),
            ("--expect-grinding", self.expect_grinding.is_some()),
            ("--expect-coset-offset", self.expect_coset_offset.is_some()),
            ("--expect-seed", self.expect_seed.is_some()),
        ])
    }

    /// The number of queries, which every protocol has.
    pub(crate) fn queries(&self) -> Option<u32> {
        self.expect_queries
    }

    pub(super) fn options(&self) -> ExpectOptions {
        ExpectOptions {
            suite: self.expect_hash,
            blowup: self.expect_blowup,
            queries: self.expect_queries,
            grinding: self.expect_grinding,
            coset_offset: self.expect_coset_offset,
            seed: self.expect_seed.clone().unwrap_or_default(),
        }
    }
}
