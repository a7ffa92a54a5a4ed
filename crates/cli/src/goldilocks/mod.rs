//! The command line for the Goldilocks protocol.

pub(crate) mod arguments;
mod contents;
#[cfg(test)]
mod formats;
mod views;

use gpu_hal::work::Prices;
use sdk::air::Air;
use sdk::air::airs::FREE;
use sdk::field::{Goldilocks, PrimeField as _};
use sdk::goldilocks::{Airs, AnyOptions, Expect, FixedOptions, Format, Key, Policy, Report, Request, decode_proof};
use sdk::goldilocks_proof::AnyProofFile;
use sdk::goldilocks_verifier::{compact, counts};
use sdk::proof_format::text::MAX_EXCERPT;
use sdk::{Family, Goldilocks3};
use serde::Serialize;

use self::contents::ContentsView;
use self::views::{OptionsView, OwnView};
use super::arguments::{StatementArguments, refuse};
use super::protocol::{CommandLine, ProofCost, RequestDraft, Rows, by_default, expected};
use crate::arguments::values::joined;
use crate::inputs::policy::{ExpectArguments, PolicyArguments, refuse_other};
use crate::report::exit::Failure;

impl CommandLine for Goldilocks3 {
    const PRICES: Prices = Prices::GOLDILOCKS;
    /// A core did 6 10^6 in a build with assertions, which looks at each of them.
    const OPERATIONS_A_SECOND: f64 = if cfg!(debug_assertions) { (1 << 23) as f64 } else { (1 << 27) as f64 };

    const JOB_WORDS: &'static [(&'static str, &'static str)] = &[("format", Format::FOR_JOBS.name())];

    type OptionsView = OptionsView;

    fn document(air: &dyn Air<Self>) -> Result<export::Document, String> {
        export::goldilocks::document(air).map_err(|error| error.to_string())
    }

    fn request(
        airs: &Airs,
        air: &str,
        rows: u64,
        arguments: &StatementArguments,
        defaults: Option<&AnyOptions>,
    ) -> Result<RequestDraft<Self>, Failure> {
        refuse(arguments.circle.given(), "goldilocks")?;
        let mut request = Request::new(air, rows);
        request.parameters = arguments.parameters()?;
        request.extras = arguments.goldilocks.extras();
        let frees = arguments.goldilocks.hides() && !request.parameters.contains_key(FREE.name);
        let frees = frees && airs.get(air).is_some_and(Family::takes_free_rows);
        if frees {
            // Their number follows from the options, and these from an AIR that leaves some.
            request.parameters.insert(FREE.name.to_owned(), 1);
        }
        let statement = airs.build(&request)?;
        let options = |air: &dyn Air<Self>| {
            let sizes = compact::sizes(&air.layout(), air.log_trace_length());
            arguments.goldilocks.options(&sizes, defaults)
        };
        request.options = options(&*statement.air)?;
        let free_rows = frees.then(|| most_free(airs, &request));
        let given = FixedOptions { free_rows, ..arguments.goldilocks.given_options() };
        let air = statement.air.clone();
        let mut draft = RequestDraft { request, given, air, statement: Some(statement), frees };
        if defaults.is_some() {
            draft.settle(airs, &|draft| options(&*draft.air))?;
        }
        Ok(draft)
    }

    fn free_rows(request: &Request, air: &Self::Air) -> u64 {
        match &request.options {
            AnyOptions::Lambdaworks(_) => 0,
            AnyOptions::Compact(options) => {
                let needed = options.masked_rows(&compact::sizes(&air.layout(), air.log_trace_length()));
                u64::try_from(needed).unwrap_or(u64::MAX)
            }
        }
    }

    const PLANS_FREELY: bool = true;

    fn of_blowup(given: &FixedOptions, log_blowup: u32) -> FixedOptions {
        FixedOptions { blowup: Some(1 << log_blowup), ..given.clone() }
    }

    fn queries(options: &AnyOptions) -> u32 {
        options.queries()
    }

    fn expected_bytes(request: &Request, air: &Self::Air) -> Option<u64> {
        let (layout, log_rows) = (air.layout(), air.log_trace_length());
        Some(match &request.options {
            AnyOptions::Lambdaworks(options) => {
                u64::try_from(counts(&layout, log_rows, options).length::<Self>()).unwrap_or(u64::MAX)
            }
            AnyOptions::Compact(options) => compact::sizes(&layout, log_rows).expected_length(options) as u64,
        })
    }

    fn option_words(request: &Request, _: &Self::Air) -> Vec<(&'static str, String)> {
        let options = &request.options;
        let mut words = vec![
            ("blowup", options.blowup().to_string()),
            ("queries", options.queries().to_string()),
            ("coset-offset", options.coset_offset().to_string()),
            ("hash", options.tree().to_string()),
        ];
        match options {
            // A job without a format is of this one: see `JOB_WORDS`.
            AnyOptions::Lambdaworks(options) => words.push(("grinding", options.grinding.to_string())),
            AnyOptions::Compact(options) => words.extend([
                ("format", request.options.format().to_string()),
                ("points", options.points.to_string()),
                ("folds", joined(&options.folds)),
                ("work", joined(&options.work)),
            ]),
        }
        words.extend(request.extras.seed.as_ref().map(|seed| ("transcript-seed", hex::encode(seed))));
        words
    }

    fn demanded(expect: &ExpectArguments, policy: &PolicyArguments) -> Result<(Expect, Policy), Failure> {
        refuse_other(policy.preprocessed_root.map(|_| "--preprocessed-root"), "goldilocks")?;
        refuse_other(policy.channel.given(), "goldilocks")?;
        if let Some(given) = policy.cells.given() {
            return Err(Failure::usage(format!(
                "{given} is of the circle protocol: the proof is of the protocol goldilocks"
            )));
        }
        let policy = Policy { max_bytes: policy.read.max_bytes, ..Policy::asking(policy.profile()?) };
        refuse_other(expect.circle.given(), "goldilocks")?;
        Ok((expected(expect, expect.goldilocks.options(), public_input)?, policy))
    }

    fn cost(request: &Request, air: &Self::Air) -> ProofCost {
        let (work_bits, proof_bytes) = match &request.options {
            AnyOptions::Lambdaworks(options) => {
                let counts = counts(&air.layout(), request.rows.ilog2(), options);
                (options.grinding, Some(u64::try_from(counts.length::<Self>()).unwrap_or(u64::MAX)))
            }
            // The queries, which nobody knows before, decide how long it is.
            AnyOptions::Compact(options) => (of_all(&options.work), None),
        };
        ProofCost { hash: request.options.tree(), work_bits, preprocessed_cells: 0, proof_bytes }
    }

    fn own(file: &AnyProofFile, _: Option<&AnyOptions>) -> (impl Serialize, Rows) {
        (OwnView::new(file), views::own_rows(file))
    }

    fn contents(airs: &Airs, file: &AnyProofFile) -> Option<(impl Serialize, Rows)> {
        let contents = ContentsView::new(decode_proof(airs, file).ok()?, &file.options)?;
        let rows = contents.rows();
        Some((contents, rows))
    }

    fn trust(expect: &mut Expect, key: &Key) -> Result<(), Failure> {
        expect.options.key = Some(key.clone());
        Ok(())
    }

    fn refusals(report: &Report, length: usize) -> Vec<String> {
        let policy = Policy::default();
        let mut refusals = by_default([policy.check_length(length), policy.check_security(&report.security)]);
        refusals.extend(report.file.seed.as_ref().map(|seed| {
            let told = match hex::encode(seed) {
                long if long.len() > MAX_EXCERPT => "the same by --expect-seed".to_owned(),
                seed => format!("--expect-seed '{seed}'"),
            };
            format!("verifiers refuse a given seed unless told {told}")
        }));
        refusals
    }
}

/// The most rows that the AIR of a request can leave free. It can leave one.
fn most_free(airs: &Airs, request: &Request) -> u64 {
    let (mut request, mut possible, mut too_many) = (request.clone(), 1, request.rows);
    let mut is_possible = |free| {
        request.parameters.insert(FREE.name.to_owned(), free);
        airs.build(&request).is_ok()
    };
    while too_many - possible > 1 {
        let between = possible + (too_many - possible) / 2;
        if is_possible(between) { possible = between } else { too_many = between }
    }
    possible
}

/// The bits of one proof of work that takes as many hashes as several do, or somewhat more.
fn of_all(work: &[u32]) -> u32 {
    let hashes: u128 = work.iter().filter(|bits| **bits > 0).map(|&bits| 1_u128 << bits.min(64)).sum();
    hashes.checked_next_power_of_two().map_or(0, u128::trailing_zeros)
}

/// A number as a public input.
fn public_input(number: u64) -> Result<Goldilocks, Failure> {
    let element = Goldilocks::from_canonical(number);
    element.ok_or_else(|| Failure::usage(format!("{number} is not below the prime of the field")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_proofs_of_work_are_counted() {
        let works = [(&[0, 0][..], 0), (&[0, 20], 20), (&[20, 20], 21), (&[3, 20, 0], 21), (&[64; 37], 70)];
        works.iter().for_each(|(work, bits)| assert_eq!(of_all(work), *bits, "{work:?}"));
    }

    #[test]
    fn public_inputs_are_of_the_field() {
        assert_eq!(public_input(16).unwrap(), Goldilocks::new(16));
        assert!(public_input(18_446_744_069_414_584_321).is_err());
    }
}
