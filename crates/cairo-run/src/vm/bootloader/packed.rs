//! The outputs of bootloaders as tasks of another one, which takes them apart.

use std::sync::Arc;

use num_traits::ToPrimitive;
use proof_format::text::excerpt;
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
/// Words before the output of a task: its size, which counts them, and the hash of its program.
const BEFORE: u64 = 2;

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
            other => Err(format!("`{}` is no felt", excerpt(&other.to_string()))),
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
            other => Err(format!("there is no type `{}` of packed outputs", excerpt(other))),
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
    /// Adds the fact topologies of its plain tasks, in order, also of those in a composite one. The pages of a task
    /// must have as many words as its output. The first page of a run of the applicative bootloader has no header then.
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
                    let paged = topology.page_sizes.iter().fold(0, |sum: u64, size| sum.saturating_add(*size));
                    if size.to_u64().and_then(|size| size.checked_sub(BEFORE)) != Some(paged) {
                        return Err(format!(
                            "the pages of task {index} have {paged} words. They must have those of its output, which is the \
                             size {size} without its first {BEFORE} words"
                        ));
                    }
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
        let page = |sizes: &str| format!("{{\"tree_structure\": [1, 0], \"page_sizes\": [{sizes}]}}");
        let plain = "{\"type\": \"PlainPackedOutput\"}";
        let inner = format!(
            "{{\"type\": \"CompositePackedOutput\", \"outputs\": [1, 7, 77, 5, 5, 5, 5, 5], \"subtasks\": [{plain}], \
             \"fact_topologies\": [{}]}}",
            page("5")
        );
        let outer = |pages: &str, size: u64| {
            let topologies = [page(pages), page("1")].join(", ");
            format!(
                "{{\"type\": \"CompositePackedOutput\", \"outputs\": [2, {size}, \"0x4d\", 8, 8, 8, 8, 8, 8, 3, 6, 7], \
                 \"subtasks\": [{plain}, {inner}], \"fact_topologies\": [{topologies}]}}"
            )
        };
        let plain_of = |json: &str, hash: u64| {
            let PackedOutput::Composite(composite) = packed(json).unwrap() else { panic!("{json}") };
            let mut plain = Vec::new();
            composite.plain_topologies(hash.into(), &mut plain)?;
            Ok::<_, String>(plain.into_iter().map(|topology| topology.page_sizes).collect::<Vec<_>>())
        };
        assert_eq!(plain_of(&outer("6", 8), 1), Ok(vec![vec![6], vec![5]]));
        assert_eq!(plain_of(&outer("6", 8), 77), Ok(vec![vec![2], vec![1]]), "without the header");
        assert_eq!(plain_of(&outer("4, 2", 8), 77), Ok(vec![vec![0, 2], vec![1]]));
        for (pages, size, needed) in [
            ("3, 3", 8, "shorter"),
            ("7", 8, "task 0 have 7 words"),
            ("5", 8, "task 0 have 5 words"),
            ("6, 18446744073709551615", 8, "task 0 have 18446744073709551615 words"),
            ("0", 1, "the size 1"),
            ("7", 9, "end at word 16"),
            ("97", 99, "end in task 1"),
        ] {
            let error = plain_of(&outer(pages, size), 77).unwrap_err();
            assert!(error.contains(needed), "{pages}, {size}: {error}");
        }
        assert_eq!(packed(&outer("6", 8)).unwrap().words(), 20);
        let error = |json: &str| packed(json).unwrap_err().to_string();
        assert!(error("{\"type\": \"CompositePackedOutput\", \"outputs\": []}").contains("needs `subtasks`"));
        assert!(error("{\"type\": \"Other\"}").contains("`Other`"));
        assert!(error(&inner.replace("77", "-1")).contains("no felt"));
    }
}
