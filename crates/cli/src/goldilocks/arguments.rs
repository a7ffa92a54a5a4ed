//! Arguments of the Goldilocks protocol alone.

use clap::Args;

use crate::arguments::values::{Bytes, List, bytes, first_given, integer, list, seed};
use crate::report::exit::Failure;
use sdk::goldilocks::lambdaworks;
use sdk::goldilocks::{AnyOptions, ExpectOptions, ExpectSeed, Extras, FixedOptions, Format, Goal};
use sdk::goldilocks_proof::compact::{Sizes, shortest};
use sdk::goldilocks_proof::{Hiding, OptionsError, Suite};

/// Options of a proof.
#[derive(Args)]
pub(crate) struct GoldilocksOptionArguments {
    /// Format of the proof: compact, or lambdaworks, byte for byte that of lambdaworks' prover, four times as long
    /// [default: compact; in bench and in jobs of a farm that do not say it lambdaworks]
    #[arg(long)]
    format: Option<Format>,
    /// Look for the shortest proofs, with blowups of 2 to 16, and not for the least work
    #[arg(long, conflicts_with = "fastest")]
    smallest: bool,
    /// Look for the least work of the prover, trees and proof of work before the queries included, however long the
    /// proof is; work before other draws is not counted
    #[arg(long)]
    fastest: bool,
    /// Points of the extended domain per row, a power of two from 2 to 128 [default: by --security; in bench 4, or more
    /// if the AIR needs it]
    #[arg(long, value_name = "B")]
    blowup: Option<u32>,
    /// Number of queries [default: by --security; in bench 41, circle: 40]
    #[arg(long, value_name = "Q")]
    queries: Option<u32>,
    /// Bits of proof of work before the queries, 0 to 64 [default: by --security; in bench 20]
    #[arg(long, value_name = "G")]
    grinding: Option<u32>,
    /// First point of the extended domain [default: 3]
    #[arg(long, value_name = "H", value_parser = integer)]
    coset_offset: Option<u64>,
    /// Hash function of the Merkle trees: keccak256, or poseidon2, which compact proofs do not have [default:
    /// keccak256]
    #[arg(long)]
    hash: Option<Suite>,
    /// compact: out-of-domain points, 1 or 2 [default: by --security; in bench 1]
    #[arg(long, value_name = "A")]
    points: Option<u32>,
    /// compact: log2 of the factor of each fold, with commas between them: the first, before the first layer, 0 to 4,
    /// the others 1 to 4; the rows that are left are sent, 2^10 at most [default: those of the shortest proofs]
    #[arg(long, value_name = "LIST", value_parser = list)]
    folds: Option<List>,
    /// compact: bits of proof of work before each draw, with commas between them: challenges of the AIR, constraints,
    /// points, columns, each fold, queries; instead of --grinding [default: by --security; in bench 0 but for the last]
    #[arg(long, value_name = "LIST", value_parser = list, conflicts_with = "grinding")]
    work: Option<List>,
    /// compact: hide the witness, so that the proof shows nothing but that the statement is true. It takes rows at the
    /// end of the trace that no constraint reads: an AIR with the parameter `free` has as many as are needed, unless
    /// --param free=N says how many
    #[arg(long)]
    zk: bool,
    /// Start the transcript with these bytes (hexadecimal, may be empty) instead of the seed that binds the statement
    #[arg(long, value_name = "HEX", value_parser = bytes)]
    transcript_seed: Option<Bytes>,
}

impl GoldilocksOptionArguments {
    /// The number of queries, which every protocol has.
    pub(crate) fn queries(&self) -> Option<u32> {
        self.queries
    }

    /// The options of a proof of a statement of these sizes. Without defaults, the ones that are not given are looked
    /// for.
    pub(super) fn options(&self, sizes: &Sizes, defaults: Option<&AnyOptions>) -> Result<AnyOptions, Failure> {
        if let (Some(goal), Some(_)) = (self.goal_given(), defaults) {
            return Err(Failure::usage(format!("{goal} looks for options, and here they are as given: leave it out")));
        }
        let format = self.format.unwrap_or_else(|| defaults.map_or_else(Format::default, AnyOptions::format));
        let defaults = defaults.cloned().unwrap_or_else(|| lambdaworks::Options::default().into());
        // The extended domain must hold the composition polynomial.
        let least = u32::try_from(sizes.parts.next_power_of_two()).unwrap_or(u32::MAX);
        let common = lambdaworks::Options {
            blowup: self.blowup.unwrap_or_else(|| least.max(defaults.blowup())),
            queries: self.queries.unwrap_or_else(|| defaults.queries()),
            grinding: self.grinding.unwrap_or_else(|| defaults.grinding()),
            coset_offset: self.coset_offset.unwrap_or_else(|| defaults.coset_offset()),
            suite: self.hash.unwrap_or_default(),
        };
        let options = match (format, self.only_compact(), self.hash, &self.transcript_seed) {
            (Format::Lambdaworks, None, ..) => return Ok(common.into()),
            (Format::Lambdaworks, Some(given), ..) => {
                return Err(Failure::usage(format!("{given} is of the compact format: say --format compact")));
            }
            (Format::Compact, _, None | Some(Suite::Keccak256), None) => {
                shortest(&common, &self.given_options(), sizes)
            }
            (Format::Compact, _, Some(hash), None) => {
                return Err(Failure::usage(format!("compact proofs have no --hash {hash}: say --format lambdaworks")));
            }
            (Format::Compact, .., Some(_)) => {
                return Err(Failure::usage(format!("{}: say --format lambdaworks", OptionsError::Seed)));
            }
        };
        Ok(options.map_err(|error| Failure::usage(format!("the options cannot be used: {error}")))?.into())
    }

    /// The ones that are looked for if they are not given.
    pub(super) fn given_options(&self) -> FixedOptions {
        let numbers = |list: &Option<List>| list.as_ref().map(|List(numbers)| numbers.clone());
        let goal = match (self.smallest, self.fastest) {
            (true, _) => Goal::Smallest,
            (_, true) => Goal::Fastest,
            _ => Goal::Cheapest,
        };
        FixedOptions {
            hiding: if self.zk { Hiding::FreeRows } else { Hiding::None },
            free_rows: None,
            goal,
            blowup: self.blowup,
            queries: self.queries,
            grinding: self.grinding,
            points: self.points,
            folds: numbers(&self.folds),
            work: numbers(&self.work),
        }
    }

    /// The flag of the goal, if it is given.
    fn goal_given(&self) -> Option<&'static str> {
        first_given([("--smallest", self.smallest), ("--fastest", self.fastest)])
    }

    /// An option that compact proofs alone have, if one is given.
    fn only_compact(&self) -> Option<&'static str> {
        first_given([
            ("--points", self.points.is_some()),
            ("--folds", self.folds.is_some()),
            ("--work", self.work.is_some()),
            ("--zk", self.zk),
        ])
    }

    /// Whether the witness is to be hidden.
    pub(crate) fn hides(&self) -> bool {
        self.zk
    }

    pub(super) fn extras(&self) -> Extras {
        Extras { seed: self.transcript_seed.as_ref().map(|Bytes(seed)| seed.clone()), masks: None }
    }

    /// Whether a seed is given.
    pub(crate) fn has_seed(&self) -> bool {
        self.transcript_seed.is_some()
    }

    /// An option that only the Goldilocks protocol has, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let of_every_format = first_given([
            ("--format", self.format.is_some()),
            ("--blowup", self.blowup.is_some()),
            ("--grinding", self.grinding.is_some()),
            ("--coset-offset", self.coset_offset.is_some()),
            ("--hash", self.hash.is_some()),
            ("--transcript-seed", self.transcript_seed.is_some()),
        ]);
        of_every_format.or_else(|| self.only_compact()).or_else(|| self.goal_given())
    }
}

/// Options that a proof must have.
#[derive(Args)]
pub(crate) struct GoldilocksExpectArguments {
    /// Refuse other formats: lambdaworks or compact
    #[arg(long, value_name = "FORMAT")]
    expect_format: Option<Format>,
    /// Refuse other hash functions
    #[arg(long, value_name = "HASH")]
    expect_hash: Option<Suite>,
    /// Refuse other blowups
    #[arg(long, value_name = "B")]
    expect_blowup: Option<u32>,
    /// Refuse other numbers of queries
    #[arg(long, value_name = "Q")]
    expect_queries: Option<u32>,
    /// Refuse other bits of proof of work before the queries
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
            ("--expect-format", self.expect_format.is_some()),
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
            // It is a file, which the command reads.
            key: None,
            format: self.expect_format,
            hash: self.expect_hash.map(Suite::tree),
            blowup: self.expect_blowup,
            queries: self.expect_queries,
            grinding: self.expect_grinding,
            coset_offset: self.expect_coset_offset,
            seed: self.expect_seed.clone().unwrap_or_default(),
        }
    }
}
