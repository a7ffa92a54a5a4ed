//! The allowed parameters.

use field::{Field, Goldilocks, PrimeField, TwoAdicField};
use goldilocks_proof::{OptionsError, Suite, lambdaworks};

fn with(change: impl FnOnce(&mut lambdaworks::Options)) -> lambdaworks::Options {
    let mut options = lambdaworks::Options::default();
    change(&mut options);
    options
}

#[test]
fn the_table_of_section_5() {
    assert_eq!(lambdaworks::Options::default().validate(10, 1), Ok(()));
    for blowup in 0..=300 {
        let expected =
            if [2, 4, 8, 16, 32, 64, 128].contains(&blowup) { Ok(()) } else { Err(OptionsError::Blowup(blowup)) };
        assert_eq!(with(|o| o.blowup = blowup).validate(10, 1), expected);
    }
    assert_eq!(with(|o| o.blowup = 1 << 31).validate(10, 1), Err(OptionsError::Blowup(1 << 31)));
    assert_eq!(with(|o| o.queries = 0).validate(10, 1), Err(OptionsError::Queries(0)));
    assert_eq!(with(|o| o.queries = 1 << 16).validate(10, 1), Ok(()));
    for queries in [(1 << 16) + 1, u32::MAX] {
        assert_eq!(with(|o| o.queries = queries).validate(10, 1), Err(OptionsError::Queries(queries)));
    }
    assert_eq!(with(|o| o.queries = 1).validate(10, 1), Ok(()));
    assert_eq!(with(|o| o.grinding = 0).validate(10, 1), Ok(()));
    assert_eq!(with(|o| o.grinding = 64).validate(10, 1), Ok(()));
    assert_eq!(with(|o| o.grinding = 65).validate(10, 1), Err(OptionsError::Grinding(65)));
    for suite in [Suite::Keccak256, Suite::Poseidon2] {
        assert_eq!(with(|o| o.suite = suite).validate(10, 1), Ok(()));
    }
}

#[test]
fn trace_lengths_and_parts() {
    let options = lambdaworks::Options::default();
    for log_trace in 0..2 {
        assert_eq!(options.validate(log_trace, 1), Err(OptionsError::TraceTooShort(log_trace)));
    }
    for log_trace in 2..=30 {
        assert_eq!(options.validate(log_trace, 4), Ok(()), "2^{log_trace} rows");
    }
    for log_trace in [31, 32, 33, 64, u32::MAX] {
        assert_eq!(options.validate(log_trace, 1), Err(OptionsError::DomainTooLarge { log_trace, blowup: 4 }));
    }
    assert_eq!(options.validate(10, 0), Err(OptionsError::NoParts));
    assert_eq!(options.validate(10, 5), Err(OptionsError::TooManyParts { parts: 5, blowup: 4 }));
    assert_eq!(with(|o| o.blowup = 8).validate(10, 5), Ok(()));
}

#[test]
fn coset_offsets() {
    let validate = |offset: u64, log_trace| with(|o| o.coset_offset = offset).validate(log_trace, 1);
    assert_eq!(validate(0, 10), Err(OptionsError::ZeroOffset));
    for offset in [Goldilocks::ORDER, Goldilocks::ORDER + 1, Goldilocks::ORDER + 3, u64::MAX] {
        assert_eq!(validate(offset, 10), Err(OptionsError::OffsetNotReduced(offset)), "a second name of an element");
    }
    // 2^12 points: the roots of unity of that order are refused, roots of the next order are not.
    for power in [0, 1, 5, 4095] {
        let offset = Goldilocks::two_adic_generator(12).pow(power).value();
        assert_eq!(validate(offset, 10), Err(OptionsError::OffsetInSubgroup { offset, log_lde: 12 }));
    }
    assert_eq!(validate(Goldilocks::two_adic_generator(13).value(), 10), Ok(()));
    for offset in [3, 7] {
        assert_eq!(validate(offset, 30), Ok(()), "{offset} is in no subgroup of order 2^k");
    }
}

#[test]
fn the_lde_domain() {
    let domain = with(|o| o.blowup = 8).lde_domain(5);
    assert_eq!((domain.shift, domain.log_size), (Goldilocks::new(3), 8));
}

#[test]
fn messages_say_what_to_do() {
    assert_eq!(OptionsError::Blowup(3).to_string(), "blowup 3 is not allowed: take a power of two from 2 to 128");
}
