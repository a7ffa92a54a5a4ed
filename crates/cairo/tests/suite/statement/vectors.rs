//! The vectors, and the runs that they are about.

use std::path::PathBuf;

use cairo::air_1_3::Air13;
use cairo::preprocessed::Variant;
use cairo::statement::CairoStatement;
use cairo::witness::Sizes;
use cairo_run::{Options, Run, load};
use circle_proof::stwo_verifier::options;
use circle_proof::{CircleOptions, Suite};
use field::{M31, QM31};
use gpu_hal::Digest;
use serde_json::Value;
use stwo::core::pcs::PcsConfig;

/// Programs of a million steps and more: their runs take a minute where nothing is optimized.
const LONG: [&str; 2] = ["mixed_1m", "nested_2m"];

/// One program proven with one set of preprocessed columns, in two configurations.
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) json: Value,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cairo")
}

/// All but the long ones.
pub(crate) fn vectors() -> Vec<Vector> {
    let names = std::fs::read_dir(folder().join("vectors")).unwrap().map(|entry| {
        let file = entry.unwrap().file_name().into_string().unwrap();
        file.strip_suffix(".json").unwrap().to_owned()
    });
    let is_long = |name: &String| LONG.iter().any(|long| name.starts_with(long));
    // The others are lists of preprocessed columns.
    names.filter(|name| name.contains('.') && !is_long(name)).map(|name| Vector::read(&name)).collect()
}

pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

pub(crate) fn element(value: &Value) -> QM31 {
    let words: Vec<u32> = value.as_array().unwrap().iter().map(|word| number(word) as u32).collect();
    QM31([words[0], words[1], words[2], words[3]].map(M31::new))
}

impl Vector {
    pub(crate) fn read(name: &str) -> Self {
        let text = std::fs::read(folder().join(format!("vectors/{name}.json"))).unwrap();
        Self { name: name.to_owned(), json: serde_json::from_slice(&text).unwrap() }
    }

    pub(crate) fn variant(&self) -> Variant {
        serde_json::from_value(self.json["preprocessed_variant"].clone()).unwrap()
    }

    /// Runs the program.
    pub(crate) fn input(&self) -> Run {
        let (program, _) = self.name.split_once('.').unwrap();
        let bytes = std::fs::read(folder().join(format!("programs/{program}.json"))).unwrap();
        load(&bytes, &Options::default()).unwrap().run
    }

    pub(crate) fn statement(&self) -> CairoStatement<Air13> {
        let input = self.input();
        CairoStatement::new(&input, &Sizes::new::<Air13>(&input, self.variant()).unwrap(), 0).unwrap()
    }

    /// The components of both configurations.
    pub(crate) fn components(&self) -> &[Value] {
        self.json["proofs"]["low"]["components"].as_array().unwrap()
    }

    /// The options of a configuration, `low` or `prod`.
    pub(crate) fn options(&self, config: &str) -> CircleOptions {
        let config: PcsConfig = serde_json::from_value(self.json["proofs"][config]["pcs_config"].clone()).unwrap();
        options(config, Suite::Blake2s).unwrap()
    }

    pub(crate) fn root(&self, config: &str, tree: &str) -> Digest {
        let hex = self.json["proofs"][config]["roots"][tree].as_str().unwrap();
        hex::decode(hex).unwrap().try_into().unwrap()
    }

    /// The claimed sums of a configuration, in the order of the components.
    pub(crate) fn claimed_sums(&self, config: &str) -> Vec<QM31> {
        let by_name = &self.json["proofs"][config]["claimed_sums"];
        let sum = |component: &Value| match by_name.get(component["name"].as_str().unwrap()) {
            Some(sum) => element(sum),
            None => element(&component["claimed_sum"]),
        };
        self.components().iter().map(sum).collect()
    }
}
