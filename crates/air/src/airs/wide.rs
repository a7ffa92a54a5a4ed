//! Any number of columns, constraints of any degree: for measurements.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use field::{Field, Goldilocks};
use gpu_hal::{CosetProtocol, Protocol};

use super::example::{AirInfo, ExampleAir, FREE, ParamInfo, free_rows, log_rows};
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Trace};

const NAME: &str = "wide";

/// Rows computed before they are spread over the columns: one cache line of each column.
const BLOCK: usize = 8;

pub(super) const INFO: AirInfo = AirInfo {
    name: NAME,
    summary: "demonstration: columns that mix with their neighbours, one constraint of the given degree for each",
    params: &[
        ParamInfo { name: "width", summary: "number of columns, 1 to 65536", default: None, unstated: false },
        ParamInfo { name: "degree", summary: "degree of the constraints, 1 to 8", default: None, unstated: false },
        FREE,
    ],
};

/// `width` columns with `x_k(1) = x_k(0)^degree + x_(k+1)(0)`, cyclic in k, and `x_k = k + 1` on row 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide {
    log_rows: u32,
    width: usize,
    degree: u64,
    free: usize,
}

impl Wide {
    /// For `rows` rows and `width` columns; the degree is 1 to 8.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn new(rows: u64, width: u64, degree: u64) -> Result<Self, AirError> {
        Self::with_free(rows, width, degree, 0)
    }

    /// The same with `free` rows at the end that no constraint reads.
    ///
    /// # Errors
    /// [`AirError::BadParam`].
    pub fn with_free(rows: u64, width: u64, degree: u64, free: u64) -> Result<Self, AirError> {
        let log_rows = log_rows(NAME, rows, 4)?;
        for (param, value, most) in [("width", width, 1 << 16), ("degree", degree, 8)] {
            if !(1..=most).contains(&value) {
                let reason = format!("1 to {most} are possible");
                return Err(AirError::BadParam { air: NAME, param, value, reason });
            }
        }
        Ok(Self { log_rows, width: width as usize, degree, free: free_rows(NAME, rows, free, 2)? })
    }

    fn first_row(&self) -> Vec<Goldilocks> {
        (1..=self.width as u64).map(Goldilocks::new).collect()
    }
}

impl<P: CosetProtocol> Air<P> for Wide {
    fn name(&self) -> &str {
        NAME
    }

    fn log_trace_length(&self) -> u32 {
        self.log_rows
    }

    fn layout(&self) -> Layout {
        // A constraint of degree d vanishes on n - 1 - f rows, if f are free: d (n - 1) - (n - 1 - f) is below
        // (d - 1) n if f is below d - 1 or zero, and else below d n; for d = 1 it is below n.
        let degree = self.degree as usize;
        let less = if self.free > 0 && self.free + 1 >= degree { 0 } else { 1 };
        let composition_parts = (degree - less).max(1);
        Layout { main_columns: self.width, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        for k in 0..self.width {
            let next = builder.main(k, 0).pow(self.degree) + builder.main((k + 1) % self.width, 0);
            builder.transition(builder.main(k, 1) - next, Rows::all().except_last(1 + self.free));
        }
        for (k, value) in self.first_row().into_iter().enumerate() {
            builder.boundary(Column::Main(k), 0, value);
        }
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        self.first_row()
    }
}

impl<P: CosetProtocol> ExampleAir<P> for Wide {
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        let (rows, width) = (1usize << self.log_rows, self.width);
        let block_rows = BLOCK.min(rows);
        let mut data = vec![Goldilocks::ZERO; rows * width];
        let mut block = vec![Goldilocks::ZERO; block_rows * width];
        let (mut row, mut next) = (self.first_row(), vec![Goldilocks::ZERO; width]);
        for start in (0..rows).step_by(block_rows) {
            for slot in block.chunks_exact_mut(width) {
                slot.copy_from_slice(&row);
                for (k, cell) in next.iter_mut().enumerate() {
                    let neighbour = if k + 1 == width { row[0] } else { row[k + 1] };
                    *cell = row[k].pow(self.degree) + neighbour;
                }
                core::mem::swap(&mut row, &mut next);
            }
            for (k, column) in data.chunks_exact_mut(rows).enumerate() {
                for (cell, slot) in column[start..start + block_rows].iter_mut().zip(block.chunks_exact(width)) {
                    *cell = slot[k];
                }
            }
        }
        Trace::new(data, width, self.log_rows).expect("the data have the declared shape")
    }
}
