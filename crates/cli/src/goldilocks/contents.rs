//! The contents of a proof of the Goldilocks protocol.

use serde::Serialize;

use sdk::Goldilocks3;
use sdk::goldilocks_proof::Proof;

#[derive(Serialize)]
pub(crate) struct ContentsView {
    trace_length: u64,
    main_root: String,
    aux_root: Option<String>,
    composition_root: String,
    ood_width: u64,
    ood_height: u64,
    trace_ood: Vec<String>,
    composition_ood: Vec<String>,
    fri_roots: Vec<String>,
    fri_last_value: String,
    fri_decommitments: usize,
    deep_openings: usize,
    nonce: Option<String>,
}

impl ContentsView {
    pub(super) fn new(proof: &Proof<Goldilocks3>) -> Self {
        Self {
            trace_length: proof.trace_length,
            main_root: hex::encode(proof.main_root),
            aux_root: proof.aux_root.map(hex::encode),
            composition_root: hex::encode(proof.composition_root),
            ood_width: proof.trace_ood.width,
            ood_height: proof.trace_ood.height,
            trace_ood: proof.trace_ood.data.iter().map(ToString::to_string).collect(),
            composition_ood: proof.composition_ood.iter().map(ToString::to_string).collect(),
            fri_roots: proof.fri_roots.iter().map(hex::encode).collect(),
            fri_last_value: proof.fri_last_value.to_string(),
            fri_decommitments: proof.fri_decommitments.len(),
            deep_openings: proof.deep_openings.len(),
            nonce: proof.nonce.map(|nonce| nonce.to_string()),
        }
    }

    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let none = || "none".to_owned();
        vec![
            ("trace length", self.trace_length.to_string()),
            ("main root", self.main_root.clone()),
            ("auxiliary root", self.aux_root.clone().unwrap_or_else(none)),
            ("composition root", self.composition_root.clone()),
            ("out of domain", format!("{} columns, {} rows", self.ood_width, self.ood_height)),
            ("composition", format!("{} parts", self.composition_ood.len())),
            ("FRI", format!("{} roots, last value {}", self.fri_roots.len(), self.fri_last_value)),
            ("queries", format!("{} decommitments, {} openings", self.fri_decommitments, self.deep_openings)),
            ("nonce", self.nonce.clone().unwrap_or_else(none)),
        ]
    }
}
