//! The shipped AIRs by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::ParamKind;
use field::{M31, PrimeField};

use super::info::{AirInfo, ParamInfo, in_range};
use super::{Blake2s, Fibonacci, Plonk, Poseidon2, RangeSquares, RpoM31, Secret, ShippedAir, WideFibonacci};
use super::{blake2s, fibonacci, plonk, poseidon2, range_squares, rpo_m31, wide_fibonacci};
use crate::{BuildError, Statement};

static ALL: [AirInfo; 7] = [
    fibonacci::INFO,
    wide_fibonacci::INFO,
    plonk::INFO,
    range_squares::INFO,
    poseidon2::INFO,
    blake2s::INFO,
    rpo_m31::INFO,
];

/// The shipped AIRs.
pub fn all() -> &'static [AirInfo] {
    &ALL
}

/// Builds the named AIR for `2^log_rows` rows (of the first component, where there are several). Parameters are decimal
/// numbers.
///
/// # Errors
/// [`BuildError`] if there is no such AIR or parameter, or the value is not possible; it names the possible ones.
pub fn build(name: &str, log_rows: u32, params: &[(String, String)]) -> Result<Arc<dyn ShippedAir>, BuildError> {
    let info = find(name)?;
    let air = info.name;
    for (index, (param, _)) in params.iter().enumerate() {
        if info.params.iter().all(|known| known.name != param) {
            let known = info.params.iter().map(|known| known.name).collect();
            return Err(BuildError::UnknownParam { air, param: param.clone(), known });
        }
        if params[..index].iter().any(|(earlier, _)| earlier == param) {
            return Err(BuildError::DuplicateParam { air, param: param.clone() });
        }
    }
    info.check_rows(log_rows)?;
    let value = |param: &ParamInfo| {
        let given = params.iter().find(|(name, _)| name == param.name).map(|(_, value)| value);
        match (given, param.default) {
            (Some(text), _) => text.parse::<u64>().map_err(|_| BuildError::BadParam {
                air,
                param: param.name,
                value: text.clone(),
                reason: "a decimal number below 2^64 is needed".to_owned(),
            }),
            (None, Some(default)) => Ok(default),
            (None, None) => Err(BuildError::MissingParam { air, param: param.name, summary: param.summary }),
        }
    };
    let values = info.params.iter().map(value).collect::<Result<Vec<u64>, _>>()?;
    Ok(match (air, values.as_slice()) {
        ("fibonacci", &[a, b]) => Arc::new(Fibonacci::new(log_rows, element(air, "a", a)?, element(air, "b", b)?)?),
        ("wide-fibonacci", &[w, s]) => Arc::new(WideFibonacci::new(log_rows, saturate(w), element(air, "s", s)?)?),
        ("plonk", &[v0, v1]) => Arc::new(Plonk::new(log_rows, element(air, "v0", v0)?, element(air, "v1", v1)?)?),
        ("range-squares", &[table, s]) => {
            Arc::new(RangeSquares::new(log_rows, saturate(table), in_range(air, "s", s, 0, u32::MAX)?)?)
        }
        ("poseidon2", &[s]) => Arc::new(Poseidon2::new(log_rows, element(air, "s", s)?)?),
        ("blake2s", &[s]) => Arc::new(Blake2s::new(log_rows, in_range(air, "s", s, 0, u32::MAX)?)?),
        ("rpo-m31", &[s]) => Arc::new(RpoM31::new(log_rows, element(air, "s", s)?)?),
        _ => unreachable!("every entry of the registry is built above, from as many values as it has parameters"),
    })
}

/// The statement that a verifier holds: of the named AIR for `2^log_rows` rows, with all its public parameters and no
/// others, and with exactly these words. Takes no time by the rows: where public values are digests, they are the
/// words'.
///
/// # Errors
/// [`BuildError`], [`BuildError::Words`] if the words are not the statement's.
pub fn stated(
    name: &str,
    log_rows: u32,
    params: &BTreeMap<String, u64>,
    words: &[u32],
) -> Result<Arc<dyn Statement>, BuildError> {
    let info = find(name)?;
    let air = info.name;
    let public = || info.params.iter().filter(|param| param.kind == ParamKind::Public);
    // A default here would give one statement two files.
    if let Some(param) = public().find(|param| !params.contains_key(param.name)) {
        return Err(BuildError::MissingParam { air, param: param.name, summary: param.summary });
    }
    if let Some(param) = params.keys().find(|given| public().all(|known| known.name != given.as_str())) {
        let known = public().map(|known| known.name).collect();
        return Err(BuildError::UnknownParam { air, param: param.clone(), known });
    }
    let statement: Arc<dyn Statement> = match air {
        "poseidon2" => Arc::new(Poseidon2::<Secret>::of_root(log_rows, elements(air, words)?)?),
        "rpo-m31" => Arc::new(RpoM31::<Secret>::of_root(log_rows, elements(air, words)?)?),
        "blake2s" => Arc::new(Blake2s::<Secret>::of_root(log_rows, digest(air, words)?)?),
        _ => {
            let params: Vec<_> = params.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
            build(air, log_rows, &params)?
        }
    };
    let expected = statement.words();
    if expected.len() != words.len() {
        let (what, found, expected) = ("the number of words".to_owned(), words.len() as u64, expected.len() as u64);
        return Err(BuildError::Words { air, what, found, expected });
    }
    match words.iter().zip(expected).enumerate().find(|(_, (found, expected))| *found != expected) {
        None => Ok(statement),
        Some((index, (&found, expected))) => {
            let what = format!("word {index}");
            Err(BuildError::Words { air, what, found: found.into(), expected: expected.into() })
        }
    }
}

fn find(name: &str) -> Result<&'static AirInfo, BuildError> {
    ALL.iter().find(|info| info.name == name).ok_or_else(|| BuildError::UnknownAir {
        name: name.to_owned(),
        known: ALL.iter().map(|info| info.name).collect(),
    })
}

/// The eight words of a digest, after the family and the size.
fn digest(air: &'static str, words: &[u32]) -> Result<[u32; 8], BuildError> {
    words.get(2..).and_then(|rest| rest.try_into().ok()).ok_or_else(|| BuildError::Words {
        air,
        what: "the number of words".to_owned(),
        found: words.len() as u64,
        expected: 10,
    })
}

/// A digest of field elements. One that is not reduced is taken mod p here, so it is not the statement's word.
fn elements(air: &'static str, words: &[u32]) -> Result<[M31; 8], BuildError> {
    Ok(digest(air, words)?.map(|word| M31::reduce(word.into())))
}

/// Numbers too large for `u32` become its maximum, which an AIR with a smaller range refuses by itself.
fn saturate(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn element(air: &'static str, param: &'static str, value: u64) -> Result<M31, BuildError> {
    M31::from_canonical(value).ok_or_else(|| BuildError::BadParam {
        air,
        param,
        value: value.to_string(),
        reason: format!("a number below {} is needed", M31::ORDER),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The public parameters, and all of them as [`build`] takes them.
    fn parameters(info: &AirInfo) -> (BTreeMap<String, u64>, Vec<(String, String)>) {
        let value = |param: &ParamInfo| (param.name.to_owned(), param.default.unwrap_or(4));
        let public = info.params.iter().filter(|param| param.kind == ParamKind::Public).map(value).collect();
        let all = info.params.iter().map(value).map(|(name, value)| (name, value.to_string())).collect();
        (public, all)
    }

    #[test]
    fn words_are_those_of_one_statement() {
        for info in all() {
            let (public, all) = parameters(info);
            let words = build(info.name, 6, &all).unwrap().words();
            let stated = |log_rows, public: &BTreeMap<String, u64>, words: &[u32]| {
                stated(info.name, log_rows, public, words).map(|statement| statement.words())
            };
            assert_eq!(stated(6, &public, &words), Ok(words.clone()), "{}", info.name);
            assert!(stated(7, &public, &words).is_err(), "{}: rows", info.name);
            assert!(stated(6, &public, &words[1..]).is_err() && stated(6, &public, &[]).is_err());
            assert!(stated(6, &public, &[&words[..], &[0]].concat()).is_err());
            // Digests may be any; family, size and parameters may not.
            let digest = info.params.iter().any(|param| param.kind == ParamKind::Preimage);
            for index in 0..words.len() {
                let mut other = words.clone();
                other[index] ^= 1;
                assert_eq!(stated(6, &public, &other).is_ok(), digest && index >= 2, "{}: word {index}", info.name);
            }
            for name in ["s", "other"] {
                let more = public.clone().into_iter().chain([(name.to_owned(), 0)]).collect();
                assert!(matches!(stated(6, &more, &words), Err(BuildError::UnknownParam { .. })), "{}", info.name);
            }
            if !public.is_empty() {
                assert!(matches!(stated(6, &BTreeMap::new(), &words), Err(BuildError::MissingParam { .. })));
            }
        }
    }

    #[test]
    fn digests_are_reduced() {
        let words: Vec<u32> = [5, 6].into_iter().chain([0; 7]).chain([M31::ORDER as u32]).collect();
        let refused = stated("poseidon2", 6, &BTreeMap::new(), &words).map(drop);
        assert!(matches!(refused, Err(BuildError::Words { found: 0x7FFF_FFFF, expected: 0, .. })), "{refused:?}");
    }
}
