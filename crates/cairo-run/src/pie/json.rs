//! The JSON members as text: their keys, in the order in which cairo-vm writes them, and nothing else.
//!
//! Felts are numbers of up to 76 digits. They are taken as text from the file, and written so.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use proof_format::text::{excerpt, parser_message};
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

use super::error::{Error, Member, Place, Reason};
use super::list::AtMost;
use super::memory::MAX_SEGMENTS;
use super::{AdditionalData, Address, Page, Segment};
use crate::felt::parse;
use crate::{BuiltinName, Felt252};

/// Words that a program may have: 2^20, which is more than any that is known.
const MAX_WORDS: usize = 1 << 20;
/// Pages and attributes that an output may have, and numbers of one attribute: more than any that is known.
const MAX_PAGES: usize = 1 << 20;
const MAX_ATTRIBUTES: usize = 1 << 10;
const MAX_NUMBERS: usize = 1 << 10;
/// Builtins that there are.
const BUILTINS: usize = BuiltinName::ALL.len();

/// The value of a member.
pub(super) fn of_bytes<T: DeserializeOwned>(member: Member, bytes: &[u8]) -> Result<T, Error> {
    seeded(PhantomData, member, bytes)
}

/// The additional data beside a memory of this many cells.
pub(super) fn additional_data(cells: usize, bytes: &[u8]) -> Result<AllData, Error> {
    seeded(Beside { cells }, Member::AdditionalData, bytes)
}

fn seeded<'de, S: DeserializeSeed<'de>>(seed: S, member: Member, bytes: &'de [u8]) -> Result<S::Value, Error> {
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let value = seed.deserialize(&mut from).and_then(|value| from.end().map(|()| value));
    value.map_err(|error| Error::new(Reason::Form, Place::Member(member), parser_message(&error.to_string())))
}

/// `version.json`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Version {
    pub(super) cairo_pie: String,
}

/// `metadata.json`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Metadata {
    pub(super) program: Program,
    pub(super) program_segment: Segment,
    pub(super) execution_segment: Segment,
    pub(super) ret_fp_segment: Segment,
    pub(super) ret_pc_segment: Segment,
    /// By the names of builtins without `_builtin` behind them.
    pub(super) builtin_segments: Entries<Segment>,
    #[serde(deserialize_with = "segments")]
    pub(super) extra_segments: Vec<Segment>,
}

/// The program in it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    pub(super) data: Felts,
    #[serde(deserialize_with = "names")]
    pub(super) builtins: Vec<String>,
    pub(super) main: u64,
    pub(super) prime: Number,
}

/// `execution_resources.json`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resources {
    pub(super) n_steps: u64,
    pub(super) n_memory_holes: u64,
    /// By the names of builtins with `_builtin` behind them.
    pub(super) builtin_instance_counter: Entries<u64>,
}

/// The additional data of the output.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Output {
    /// First word and number of words.
    pages: Entries<[u64; 2], MAX_PAGES>,
    attributes: Entries<Numbers, MAX_ATTRIBUTES>,
}

/// An attribute.
#[derive(Serialize)]
struct Numbers(Vec<u64>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        AtMost::new(MAX_NUMBERS, "number").deserialize(from).map(Self)
    }
}

/// An object's members, in the order of the file: at most `MOST`, or one for each builtin.
#[derive(Default)]
pub(super) struct Entries<T, const MOST: usize = BUILTINS>(pub(super) Vec<(Cow<'static, str>, T)>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Entries<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members<T, const MOST: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Members<T, MOST> {
            type Value = Entries<T, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    if entries.len() == MOST {
                        return Err(A::Error::custom(format!("an object of more than {MOST} entries")));
                    }
                    entries.push((name.into(), value));
                }
                Ok(Entries(entries))
            }
        }
        from.deserialize_map(Members(PhantomData))
    }
}

impl<T: Serialize, const MOST: usize> Serialize for Entries<T, MOST> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    AtMost::new(BUILTINS, "builtin").deserialize(from)
}

fn segments<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Segment>, D::Error> {
    AtMost::new(MAX_SEGMENTS as usize, "segment").deserialize(from)
}

/// A felt, in decimal.
struct Felt(Felt252);

impl<'de> Deserialize<'de> for Felt {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        parse(Number::deserialize(from)?.as_str()).map(Self).map_err(D::Error::custom)
    }
}

impl Serialize for Felt {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        number(&self.0.to_string()).map_err(serde::ser::Error::custom)?.serialize(to)
    }
}

/// The number of a text.
pub(super) fn number(text: &str) -> serde_json::Result<Number> {
    serde_json::from_str(text)
}

/// A list of felts.
pub(super) struct Felts(pub(super) Vec<Felt252>);

impl<'de> Deserialize<'de> for Felts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let words = AtMost::new(MAX_WORDS, "word").deserialize(from)?;
        Ok(Self(words.into_iter().map(|Felt(felt)| felt).collect()))
    }
}

impl Serialize for Felts {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(|felt| Felt(*felt)))
    }
}

/// `additional_data.json`, in the order of the file.
pub(super) struct AllData(pub(super) Vec<(BuiltinName, AdditionalData)>);

/// Reads them beside a memory of this many cells.
struct Beside {
    cells: usize,
}

impl<'de> DeserializeSeed<'de> for Beside {
    type Value = AllData;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Beside {
    type Value = AllData;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all: Vec<(BuiltinName, AdditionalData)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let builtin = of_suffixed(&name).map_err(A::Error::custom)?;
            if all.iter().any(|(other, _)| *other == builtin) {
                return Err(A::Error::custom(format!("{builtin} is there twice")));
            }
            let data = data(builtin, self.cells, &mut map);
            all.push((builtin, data.map_err(|error| A::Error::custom(format!("{builtin}: {error}")))?));
        }
        Ok(AllData(all))
    }
}

/// The data of a builtin. An empty list stands for none. A list names each of the memory's cells once at most.
fn data<'de, A: MapAccess<'de>>(builtin: BuiltinName, cells: usize, map: &mut A) -> Result<AdditionalData, A::Error> {
    let address = |(segment, offset)| Address { segment, offset };
    Ok(match builtin {
        BuiltinName::Pedersen => {
            let addresses: Vec<(u64, u64)> = map.next_value_seed(AtMost::new(cells, "cell"))?;
            AdditionalData::Addresses(addresses.into_iter().map(address).collect())
        }
        BuiltinName::Ecdsa => {
            let signatures: Vec<((u64, u64), [Felt; 2])> = map.next_value_seed(AtMost::new(cells, "cell"))?;
            let signature = |(at, [r, s]): (_, [Felt; 2])| (address(at), [r.0, s.0]);
            AdditionalData::Signatures(signatures.into_iter().map(signature).collect())
        }
        BuiltinName::Output => {
            let Output { pages, attributes } = map.next_value()?;
            let pages = pages.0.into_iter().map(|(name, [start, size])| {
                let number = name.parse::<u64>();
                let number = number.map_err(|_| format!("`{}` is no number of a page", excerpt(&name)))?;
                Ok((number, Page { start, size }))
            });
            let attributes = attributes.0.into_iter().map(|(name, list)| Ok((name.into(), list.0)));
            AdditionalData::Output {
                pages: unique(pages).map_err(A::Error::custom)?,
                attributes: unique(attributes).map_err(A::Error::custom)?,
            }
        }
        _ => {
            map.next_value::<Option<[(); 0]>>()?;
            AdditionalData::Nothing
        }
    })
}

/// The entries by their keys, of which none may be there twice.
fn unique<K: Ord, V>(entries: impl Iterator<Item = Result<(K, V), String>>) -> Result<BTreeMap<K, V>, String> {
    let mut map = BTreeMap::new();
    for entry in entries {
        let (key, value) = entry?;
        if map.insert(key, value).is_some() {
            return Err("a key is there twice".into());
        }
    }
    Ok(map)
}

impl Serialize for AllData {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Data<'a>(&'a AdditionalData);
        impl Serialize for Data<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let pair = |address: &Address| (address.segment, address.offset);
                match self.0 {
                    AdditionalData::Nothing => to.serialize_unit(),
                    AdditionalData::Addresses(addresses) => to.collect_seq(addresses.iter().map(pair)),
                    AdditionalData::Signatures(signatures) => {
                        to.collect_seq(signatures.iter().map(|(at, felts)| (pair(at), felts.map(Felt))))
                    }
                    AdditionalData::Output { pages, attributes } => {
                        let page = |(number, page): (&u64, &Page)| (number.to_string().into(), [page.start, page.size]);
                        let attribute =
                            |(name, list): (&String, &Vec<u64>)| (name.clone().into(), Numbers(list.clone()));
                        let pages = Entries(pages.iter().map(page).collect());
                        Output { pages, attributes: Entries(attributes.iter().map(attribute).collect()) }.serialize(to)
                    }
                }
            }
        }
        to.collect_map(self.0.iter().map(|(name, data)| (name.to_string(), Data(data))))
    }
}

/// The builtin of a name with `_builtin` behind it.
pub(super) fn of_suffixed(name: &str) -> Result<BuiltinName, String> {
    let builtin = name.strip_suffix("_builtin").and_then(BuiltinName::from_name);
    builtin.ok_or_else(|| format!("there is no builtin `{}`", excerpt(name)))
}

/// The names of builtins, as keys of the metadata.
pub(super) fn named<T>(entries: impl IntoIterator<Item = (BuiltinName, T)>) -> Entries<T> {
    Entries(entries.into_iter().map(|(name, value)| (name.to_str().into(), value)).collect())
}

/// The names of builtins with `_builtin` behind them, as the keys of the other members.
pub(super) fn suffixed<T>(entries: impl IntoIterator<Item = (BuiltinName, T)>) -> Entries<T> {
    Entries(entries.into_iter().map(|(name, value)| (name.to_string().into(), value)).collect())
}
