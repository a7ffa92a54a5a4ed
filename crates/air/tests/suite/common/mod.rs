//! Shared by the tests.
#![allow(dead_code, reason = "each test binary uses a part")]

use air::{Air, AirBuilder, Column, Layout, Rows, Trace};
use field::{ExtensionField, Fp3, Goldilocks};
use gpu_hal::{CosetProtocol, GoldilocksStark};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;

pub(crate) type Stark = GoldilocksStark<Fp3>;

pub(crate) fn rng(seed: u64) -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(seed)
}

pub(crate) fn base(rng: &mut ChaCha12Rng) -> Goldilocks {
    Goldilocks::new(rng.random())
}

pub(crate) fn ext<E: ExtensionField<Goldilocks>>(rng: &mut ChaCha12Rng) -> E {
    let coordinates: Vec<Goldilocks> = (0..E::DEGREE).map(|_| base(rng)).collect();
    E::from_coordinates(&coordinates).expect("DEGREE coordinates")
}

/// Main columns, each with one degree-2 transition `x_k(1) x_k(0) - x_(k+1)(0)` on the given rows, and boundaries at
/// the given rows of column 0.
#[derive(Clone, Debug)]
pub(crate) struct Shapes {
    pub(crate) log_n: u32,
    pub(crate) rows: Vec<Rows>,
    pub(crate) boundaries: Vec<usize>,
    pub(crate) parts: usize,
}

impl Shapes {
    pub(crate) fn new(log_n: u32, rows: Vec<Rows>) -> Self {
        Self { log_n, rows, boundaries: vec![0], parts: 8 }
    }
}

impl<P: CosetProtocol> Air<P> for Shapes {
    fn name(&self) -> &str {
        "shapes"
    }

    fn log_trace_length(&self) -> u32 {
        self.log_n
    }

    fn layout(&self) -> Layout {
        Layout {
            main_columns: self.rows.len(),
            aux_columns: 0,
            frame_rows: 2,
            challenges: 0,
            composition_parts: self.parts,
        }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        for (k, &rows) in self.rows.iter().enumerate() {
            let next = builder.main((k + 1) % self.rows.len(), 0);
            builder.transition(builder.main(k, 1) * builder.main(k, 0) - next, rows);
        }
        for &row in &self.boundaries {
            builder.boundary(Column::Main(0), row, Goldilocks::new(row as u64 + 5));
        }
    }
}

pub(crate) fn random_trace(rng: &mut ChaCha12Rng, width: usize, log_height: u32) -> Trace<Goldilocks> {
    let data = (0..width << log_height).map(|_| base(rng)).collect();
    Trace::new(data, width, log_height).expect("shape")
}
