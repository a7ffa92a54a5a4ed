//! Values of arguments.

use std::collections::BTreeMap;

use crate::report::exit::Failure;
#[cfg(feature = "cairo")]
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gpu_hal::Digest;
use sdk::goldilocks::ExpectSeed;
use sdk::proof_format::file::is_name;
use sdk::proof_format::text::excerpt;

/// Parses a value by its name, and lists all of them with a line of help for each.
#[cfg(feature = "cairo")]
pub(crate) fn choice<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [(T, &'static str, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    let possible = values.map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::from(possible).try_map(move |text| {
        let found = values.into_iter().find(|(_, name, _)| *name == text);
        found.map(|(value, ..)| value).ok_or("no such value")
    })
}

/// `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    name: String,
    value: u64,
}

/// Numbers of devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeviceNumbers(pub(crate) Vec<u32>);

/// Most devices that a list has.
const MAX_DEVICES: u32 = 1024;

/// How many devices, which are the first ones; or the numbers of devices, with commas between them.
pub(crate) fn device_numbers(text: &str) -> Result<DeviceNumbers, String> {
    let number = |digits: &str| {
        let wrong = |error| {
            format!("`{}` is no number of a device ({error}): write 2 for two devices, or 0,1", excerpt(digits))
        };
        digits.parse::<u32>().map_err(wrong)
    };
    let list: Vec<u32> = text.split(',').map(number).collect::<Result<_, _>>()?;
    match list[..] {
        [count @ (0 | MAX_DEVICES..)] => {
            Err(format!("{count} devices can't make a proof: take 1, 2, 4 or another power of two"))
        }
        [count] => Ok(DeviceNumbers((0..count).collect())),
        _ => Ok(DeviceNumbers(list)),
    }
}

/// Bytes of the device that are taken at most, with the rest in the host's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpillArgument(pub(crate) u64);

/// `host` or `host:BYTES`.
pub(crate) fn spill(text: &str) -> Result<SpillArgument, String> {
    match text.split_once(':') {
        None if text == "host" => Ok(SpillArgument(u64::MAX)),
        Some(("host", bytes)) => integer(bytes).map(SpillArgument),
        _ => Err(format!(
            "`{}` is no place for tables: write `host`, or `host:BYTES` to take so many bytes of the device",
            excerpt(text)
        )),
    }
}

/// An integer: decimal, hexadecimal after `0x`, or a power of two as `2^20`; an `_` may stand between two digits.
pub(crate) fn integer(text: &str) -> Result<u64, String> {
    let wrong = |form: &str| format!("`{}` is not a number: {form}", excerpt(text));
    let (digits, radix, form) = match (text.strip_prefix("0x"), text.strip_prefix("2^")) {
        (Some(hex), _) => (hex, 16, "hexadecimal digits stand after 0x"),
        (_, Some(log)) => (log, 10, "write 2^0 to 2^63"),
        _ => (text, 10, "write it decimal, hexadecimal after 0x, or as a power of two, such as 1_048_576 or 2^20"),
    };
    let is_digit = |byte: u8| char::from(byte).is_digit(radix);
    if !digits.split('_').all(|group| !group.is_empty() && group.bytes().all(is_digit)) {
        return Err(wrong(form));
    }
    let parsed = u64::from_str_radix(&digits.replace('_', ""), radix)
        .map_err(|error| format!("`{}`: {error}", excerpt(text)))?;
    if !text.starts_with("2^") {
        return Ok(parsed);
    }
    u32::try_from(parsed).ok().and_then(|log| 1u64.checked_shl(log)).ok_or_else(|| wrong(form))
}

/// An [`integer`] that this machine can count to.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    usize::try_from(integer(text)?).map_err(|error| format!("`{}`: {error}", excerpt(text)))
}

/// `NAME=VALUE`.
pub(crate) fn assignment(text: &str) -> Result<Assignment, String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{}` is not NAME=VALUE", excerpt(text)))?;
    if !is_name(name) {
        return Err(format!("`{}` is not a parameter's name", excerpt(name)));
    }
    Ok(Assignment { name: name.to_owned(), value: integer(value)? })
}

/// The assignments by name, each once.
pub(crate) fn parameters(assignments: &[Assignment]) -> Result<BTreeMap<String, u64>, Failure> {
    let mut map = BTreeMap::new();
    for Assignment { name, value } in assignments {
        if map.insert(name.clone(), *value).is_some() {
            return Err(Failure::usage(format!("parameter `{name}` is given twice")));
        }
    }
    Ok(map)
}

/// A byte string in hexadecimal; it may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

/// A byte string in hexadecimal; it may be empty.
pub(crate) fn bytes(text: &str) -> Result<Bytes, String> {
    hex::decode(text).map(Bytes).map_err(|error| format!("`{}` is not hexadecimal: {error}", excerpt(text)))
}

/// 32 bytes in hexadecimal.
pub(crate) fn digest(text: &str) -> Result<Digest, String> {
    let Bytes(bytes) = bytes(text)?;
    bytes.try_into().map_err(|bytes: Vec<u8>| format!("a digest has 32 bytes, not {}", bytes.len()))
}

/// `default`, or a seed in hexadecimal.
pub(crate) fn seed(text: &str) -> Result<ExpectSeed, String> {
    if text == "default" { Ok(ExpectSeed::Default) } else { bytes(text).map(|Bytes(bytes)| ExpectSeed::Given(bytes)) }
}

/// Numbers, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers(pub(crate) Vec<u64>);

/// Numbers, separated by commas; none if empty.
pub(crate) fn numbers(text: &str) -> Result<Numbers, String> {
    if text.is_empty() {
        return Ok(Numbers(Vec::new()));
    }
    text.split(',').map(|number| integer(number.trim())).collect::<Result<_, _>>().map(Numbers)
}

/// Small numbers, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List(pub(crate) Vec<u32>);

/// Small numbers, separated by commas; none if empty.
pub(crate) fn list(text: &str) -> Result<List, String> {
    let small = |number| u32::try_from(number).map_err(|_| format!("{number} is too large: write a small number"));
    numbers(text)?.0.into_iter().map(small).collect::<Result<_, _>>().map(List)
}

/// Log2 of the common domain, or the natural one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiftingArgument(pub(crate) Option<u32>);

/// `none`, or log2 of a common domain.
pub(crate) fn lifting(text: &str) -> Result<LiftingArgument, String> {
    match text {
        "none" => Ok(LiftingArgument(None)),
        _ => {
            text.parse().map(|log| LiftingArgument(Some(log))).map_err(|error| format!("`{}`: {error}", excerpt(text)))
        }
    }
}

/// The first of these arguments that is given.
pub(crate) fn first_given<const N: usize>(arguments: [(&'static str, bool); N]) -> Option<&'static str> {
    arguments.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
}

/// Numbers with commas between them.
pub(crate) fn joined(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_three_forms() {
        assert_eq!(integer("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(integer("0xff"), Ok(255));
        for million in ["1048576", "1_048_576", "0x10_0000", "2^20", "2^2_0"] {
            assert_eq!(integer(million), Ok(1 << 20), "{million}");
        }
        assert_eq!((integer("2^0"), integer("2^63")), (Ok(1), Ok(1 << 63)));
        for bad in ["", "-1", "+1", " 1", "0x", "0x+1", "0xg", "1e3", "18446744073709551616"] {
            assert!(integer(bad).is_err(), "{bad}");
        }
        for bad in
            ["_", "1_", "_1", "1__0", "0x_1", "2^", "2^64", "2^4294967296", "2^-1", "2^_1", "3^2", "2^2^2", "2_^2"]
        {
            assert!(integer(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn assignments_have_a_name_and_a_number() {
        assert_eq!(assignment("steps=7"), Ok(Assignment { name: "steps".into(), value: 7 }));
        for bad in ["steps", "=7", "steps=", "steps=x", "st eps=1"] {
            assert!(assignment(bad).is_err(), "{bad}");
        }
        let twice = [assignment("a=1").unwrap(), assignment("a=1").unwrap()];
        assert!(parameters(&twice).is_err());
    }

    #[test]
    fn public_inputs_are_of_the_field() {
        assert_eq!(numbers(""), Ok(Numbers(Vec::new())));
        assert_eq!(numbers("1, 0x10"), Ok(Numbers(vec![1, 16])));
        assert!(numbers("1,").is_err());
        assert_eq!(list("3,0"), Ok(List(vec![3, 0])));
        assert!(list("4294967296").is_err());
    }

    #[test]
    fn lifting_is_a_number_or_none() {
        assert_eq!(lifting("none"), Ok(LiftingArgument(None)));
        assert_eq!(lifting("12"), Ok(LiftingArgument(Some(12))));
        assert!(lifting("").is_err() && lifting("-1").is_err() && lifting("all").is_err());
    }

    #[test]
    fn a_seed_may_be_empty() {
        assert_eq!(seed(""), Ok(ExpectSeed::Given(Vec::new())));
        assert_eq!(seed("00ff"), Ok(ExpectSeed::Given(vec![0, 255])));
        assert_eq!(seed("default"), Ok(ExpectSeed::Default));
        assert!(seed("0").is_err());
        assert!(seed("0x00").is_err());
    }
}
