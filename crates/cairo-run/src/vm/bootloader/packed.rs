//! The outputs of bootloaders as tasks of another one, which takes them apart.

use std::sync::Arc;

use num_traits::ToPrimitive;
use proof_format::text::shown;
use serde::Deserialize;
use serde_json::Value;

use super::FactTopology;
use crate::{Felt252, felt};

/// The programs that an unpacking bootloader trusts, by their hashes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Config")]
pub struct BootloaderConfig {
    /// Simple bootloaders.
    pub simple_bootloaders: Vec<Felt252>,
    /// The applicative bootloader.
    pub applicative_bootloader: Felt252,
    /// Verifiers of Cairo proofs.
    pub cairo_verifiers: Vec<Felt252>,
}

/// The output of a task.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Entry")]
pub enum PackedOutput {
    /// Its own.
    Plain,
    /// The hash of a bootloader's.
    Composite(Arc<CompositeOutput>),
}

/// The output of a bootloader, which a task has hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompositeOutput {
    /// The number of tasks, and for each its size, the hash of its program, and its output.
    pub outputs: Vec<Felt252>,
    /// The outputs of these tasks.
    pub subtasks: Arc<[PackedOutput]>,
    /// The fact topologies of these tasks.
    pub fact_topologies: Vec<FactTopology>,
}

/// Words that the applicative bootloader puts before the output of its aggregator: a hash and the hash of its
/// configuration's three parts each.
pub(super) const HEADER: u64 = 1 + CONFIG;
const CONFIG: u64 = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    supported_simple_bootloader_hash_list: Vec<Word>,
    applicative_bootloader_program_hash: Word,
    supported_cairo_verifier_program_hashes: Vec<Word>,
}

impl From<Config> for BootloaderConfig {
    fn from(config: Config) -> Self {
        Self {
            simple_bootloaders: felts(config.supported_simple_bootloader_hash_list),
            applicative_bootloader: config.applicative_bootloader_program_hash.0,
            cairo_verifiers: felts(config.supported_cairo_verifier_program_hashes),
        }
    }
}

/// A felt: a number, or text.
#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct Word(Felt252);

impl TryFrom<Value> for Word {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::Number(number) => felt::parse(&number.to_string()),
            Value::String(text) => felt::parse(&text),
            other => Err(format!("`{}` is no felt", shown(&other.to_string()))),
        }
        .map(Self)
    }
}

fn felts(words: Vec<Word>) -> Vec<Felt252> {
    words.into_iter().map(|word| word.0).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "type")]
    output_type: String,
    outputs: Option<Vec<Word>>,
    subtasks: Option<Vec<PackedOutput>>,
    fact_topologies: Option<Vec<FactTopology>>,
}

impl TryFrom<Entry> for PackedOutput {
    type Error = String;

    fn try_from(Entry { output_type, outputs, subtasks, fact_topologies }: Entry) -> Result<Self, String> {
        let missing = |key: &str| format!("a CompositePackedOutput needs `{key}`");
        match &output_type[..] {
            "PlainPackedOutput" => Ok(Self::Plain),
            "CompositePackedOutput" => Ok(Self::Composite(Arc::new(CompositeOutput {
                outputs: felts(outputs.ok_or_else(|| missing("outputs"))?),
                subtasks: subtasks.ok_or_else(|| missing("subtasks"))?.into(),
                fact_topologies: fact_topologies.ok_or_else(|| missing("fact_topologies"))?,
            }))),
            other => Err(format!("there is no type `{}` of packed outputs", shown(other))),
        }
    }
}

impl PackedOutput {
    /// The words of it and of all outputs in it.
    pub(super) fn words(&self) -> u64 {
        match self {
            Self::Plain => 0,
            Self::Composite(composite) => {
                let inner = composite.subtasks.iter().map(Self::words).fold(0, u64::saturating_add);
                inner.saturating_add(composite.outputs.len() as u64)
            }
        }
    }
}

impl CompositeOutput {
    /// Adds the fact topologies of its plain tasks, in order, also of those in a composite one. The first page of a
    /// run of the applicative bootloader has no header then.
    pub(super) fn plain_topologies(&self, applicative: Felt252, to: &mut Vec<FactTopology>) -> Result<(), String> {
        let number = self.outputs.first().ok_or("its outputs are empty")?;
        if number.to_usize() != Some(self.subtasks.len()) {
            return Err(format!("its outputs are of {number} tasks, and {} are said", self.subtasks.len()));
        }
        let mut at = 1_usize;
        for (index, subtask) in self.subtasks.iter().enumerate() {
            let word = |at: usize| self.outputs.get(at).ok_or_else(|| format!("its outputs end in task {index}"));
            let (size, hash) = (word(at)?, word(at.saturating_add(1))?);
            match subtask {
                PackedOutput::Plain => {
                    let topology = self.fact_topologies.get(index);
                    let mut topology = topology.ok_or_else(|| format!("task {index} has no fact topology"))?.clone();
                    if *hash == applicative
                        && let Some(first) = topology.page_sizes.first_mut()
                    {
                        *first = first.checked_sub(HEADER).ok_or_else(|| {
                            format!("the first page of task {index} is shorter than a header of {HEADER} words")
                        })?;
                    }
                    to.push(topology);
                }
                PackedOutput::Composite(composite) => composite.plain_topologies(applicative, to)?,
            }
            at = size.to_usize().and_then(|size| at.checked_add(size)).unwrap_or(usize::MAX);
        }
        match at == self.outputs.len() {
            true => Ok(()),
            false => Err(format!("its tasks end at word {at}, and its outputs have {}", self.outputs.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(json: &str) -> Result<PackedOutput, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn plain_tasks_are_found_in_composite_ones() {
        let page = |words: u64| format!("{{\"tree_structure\": [1, 0], \"page_sizes\": [{words}]}}");
        let plain = "{\"type\": \"PlainPackedOutput\"}";
        let inner = format!(
            "{{\"type\": \"CompositePackedOutput\", \"outputs\": [1, 3, 77, 5], \"subtasks\": [{plain}], \
             \"fact_topologies\": [{}]}}",
            page(9)
        );
        let outer = |first: u64, size: u64| {
            let topologies = [page(first), page(1)].join(", ");
            format!(
                "{{\"type\": \"CompositePackedOutput\", \"outputs\": [2, {size}, \"0x4d\", 8, 3, 6, 7], \"subtasks\": \
                 [{plain}, {inner}], \"fact_topologies\": [{topologies}]}}"
            )
        };
        let plain_of = |json: &str, hash: u64| {
            let PackedOutput::Composite(composite) = packed(json).unwrap() else { panic!("{json}") };
            let mut plain = Vec::new();
            composite.plain_topologies(hash.into(), &mut plain)?;
            Ok::<_, String>(plain.iter().map(|topology| topology.page_sizes[0]).collect::<Vec<_>>())
        };
        assert_eq!(plain_of(&outer(6, 3), 1), Ok(vec![6, 9]));
        assert_eq!(plain_of(&outer(6, 3), 77), Ok(vec![2, 5]), "without the header");
        for (json, needed) in
            [(outer(3, 3), "shorter"), (outer(6, 4), "end at word 11"), (outer(6, 99), "end in task 1")]
        {
            let error = plain_of(&json, 77).unwrap_err();
            assert!(error.contains(needed), "{json}: {error}");
        }
        assert_eq!(packed(&outer(6, 3)).unwrap().words(), 11);
        let error = |json: &str| packed(json).unwrap_err().to_string();
        assert!(error("{\"type\": \"CompositePackedOutput\", \"outputs\": []}").contains("needs `subtasks`"));
        assert!(error("{\"type\": \"Other\"}").contains("`Other`"));
        assert!(error(&inner.replace("77", "-1")).contains("no felt"));
    }
}
