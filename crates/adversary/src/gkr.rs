//! Random batches of trees for GKR.

use field::{ExtensionField, Field, M31, QM31};
use sumcheck::gkr::{Kind, Layer};

use crate::draw::Draw;

/// The columns of a tree over the fields of Circle.
pub type Tree = Layer<M31, QM31>;

/// A batch: one to five trees of any kinds, of two to 2^9 rows. Those of stwo's prover have four rows at least if they
/// are [`Kind::LogUpMultiplicities`]; so have these.
pub fn draw(seed: u64) -> Vec<Tree> {
    let mut draw = Draw::new(seed);
    let count = draw.between(1, 5);
    (0..count)
        .map(|_| {
            let kind = draw.of(&Kind::ALL);
            let log_rows = draw.log_rows(1 + u32::from(kind == Kind::LogUpMultiplicities), 9);
            tree(kind, 1 << log_rows, &mut draw)
        })
        .collect()
}

fn tree(kind: Kind, rows: usize, draw: &mut Draw) -> Tree {
    match kind {
        Kind::GrandProduct => Layer::GrandProduct(column(rows, draw)),
        Kind::LogUp => Layer::LogUp { numerators: column(rows, draw), denominators: column(rows, draw) },
        Kind::LogUpMultiplicities => {
            Layer::LogUpMultiplicities { numerators: bases(rows, draw), denominators: column(rows, draw) }
        }
        Kind::LogUpSingles => Layer::LogUpSingles { denominators: column(rows, draw) },
    }
}

/// Some columns are the same value in all rows, often zero: round polynomials lose their last coefficients then.
fn column(rows: usize, draw: &mut Draw) -> Vec<QM31> {
    if draw.one_in(8) {
        return vec![element(draw); rows];
    }
    if draw.one_in(8) {
        return vec![QM31::ZERO; rows];
    }
    (0..rows).map(|_| element(draw)).collect()
}

fn element(draw: &mut Draw) -> QM31 {
    let coordinates: [M31; 4] = std::array::from_fn(|_| draw.element());
    QM31::from_coordinates(&coordinates).expect("four coordinates")
}

fn bases(rows: usize, draw: &mut Draw) -> Vec<M31> {
    (0..rows).map(|_| draw.element()).collect()
}
