//! The contents of a proof of the Goldilocks protocol.

use serde::Serialize;

use sdk::Goldilocks3;
use sdk::field::Fp3;
use sdk::goldilocks::{AnyOptions, Contents};
use sdk::goldilocks_proof::compact::{self, Head};
use sdk::goldilocks_proof::{Draw, Proof};

use crate::protocol::Rows;

/// The contents of a proof of either format.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ContentsView {
    Lambdaworks(LambdaworksView),
    Compact(CompactView),
}

impl ContentsView {
    pub(super) fn new(contents: Contents, options: &AnyOptions) -> Option<Self> {
        match (contents, options) {
            (Contents::Lambdaworks(proof), _) => Some(Self::Lambdaworks(LambdaworksView::new(&proof))),
            (Contents::Compact { head, opened }, AnyOptions::Compact(options)) => {
                Some(Self::Compact(CompactView::new(&head, opened, options)))
            }
            (Contents::Compact { .. }, AnyOptions::Lambdaworks(_)) => None,
        }
    }

    pub(super) fn rows(&self) -> Rows {
        match self {
            Self::Lambdaworks(view) => view.rows(),
            Self::Compact(view) => view.rows(),
        }
    }
}

/// The contents of a compact proof. The leaves that are opened follow from its transcript.
#[derive(Serialize)]
pub(super) struct CompactView {
    main_root: String,
    aux_root: Option<String>,
    composition_root: String,
    out_of_domain: Vec<String>,
    layers: Vec<String>,
    last: Vec<String>,
    nonces: Vec<NonceView>,
    opened_bytes: usize,
}

#[derive(Serialize)]
struct NonceView {
    before: String,
    bits: u32,
    nonce: String,
}

impl CompactView {
    fn new(head: &Head<Fp3>, opened: usize, options: &compact::Options) -> Self {
        let draws = Draw::all(options.folds.len()).filter(|draw| options.work_of(*draw) > 0);
        let nonce = |(draw, nonce): (Draw, &u64)| NonceView {
            before: draw.to_string(),
            bits: options.work_of(draw),
            nonce: nonce.to_string(),
        };
        Self {
            main_root: hex::encode(head.main_root),
            aux_root: head.aux_root.map(hex::encode),
            composition_root: hex::encode(head.composition_root),
            out_of_domain: head.out_of_domain.iter().map(ToString::to_string).collect(),
            layers: head.layers.iter().map(hex::encode).collect(),
            last: head.last.iter().map(ToString::to_string).collect(),
            nonces: draws.zip(&head.nonces).map(nonce).collect(),
            opened_bytes: opened,
        }
    }

    fn rows(&self) -> Rows {
        let none = || "none".to_owned();
        let nonces: Vec<String> = self
            .nonces
            .iter()
            .map(|NonceView { before, bits, nonce }| format!("{nonce} before the {before} ({bits} bits)"))
            .collect();
        vec![
            ("main root", self.main_root.clone()),
            ("auxiliary root", self.aux_root.clone().unwrap_or_else(none)),
            ("composition root", self.composition_root.clone()),
            ("out of domain", format!("{} values", self.out_of_domain.len())),
            ("FRI", format!("{} roots, {} coefficients", self.layers.len(), self.last.len())),
            ("queries", format!("{} bytes of openings", self.opened_bytes)),
            ("nonces", if nonces.is_empty() { none() } else { nonces.join(", ") }),
        ]
    }
}

/// The contents of a proof of the format of lambdaworks.
#[derive(Serialize)]
pub(super) struct LambdaworksView {
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

impl LambdaworksView {
    fn new(proof: &Proof<Goldilocks3>) -> Self {
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

    fn rows(&self) -> Rows {
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
