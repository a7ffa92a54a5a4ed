//! The identity of an AIR.

use gpu_hal::{ConstraintProgram, Protocol, RunningKind};
use sha2::{Digest, Sha256};

use field::PrimeField;

use crate::{Column, RecordedAir};

/// Words of fixed size and length-prefixed strings: no two inputs share an encoding.
struct Writer(Sha256);

impl Writer {
    fn word(&mut self, value: u64) {
        self.0.update(value.to_le_bytes());
    }

    fn count(&mut self, value: usize) {
        self.word(value as u64);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.update(bytes);
    }

    fn program<P: Protocol>(&mut self, program: &ConstraintProgram<P>) {
        self.bytes(&program.encode());
    }
}

impl<P: Protocol> RecordedAir<P> {
    /// SHA-256 of everything that was recorded, except the public inputs and the functions given to
    /// [`crate::AirBuilder::boundary_with`] and [`crate::Air::host_columns`]: name, length, layout, programs, rows of
    /// the transitions, positions and constant values of the boundaries, periodic values, kinds of the auxiliary
    /// columns.
    pub fn digest(&self) -> [u8; 32] {
        let mut out = Writer(Sha256::new());
        out.bytes(b"polystark-air-1");
        out.bytes(P::NAME.as_bytes());
        out.bytes(self.name().as_bytes());
        out.word(u64::from(self.log_trace_length()));
        let layout = self.layout();
        for count in
            [layout.main_columns, layout.aux_columns, layout.frame_rows, layout.challenges, layout.composition_parts]
        {
            out.count(count);
        }
        out.program(self.constraints());
        out.count(self.transitions().len());
        for rows in self.transitions() {
            let (q, u) = rows.exempted().unwrap_or((0, 0));
            for count in [rows.period(), rows.offset(), rows.end_exemptions(), q, u] {
                out.count(count);
            }
        }
        out.count(self.boundaries().len());
        for boundary in self.boundaries() {
            let (kind, column) = match boundary.column() {
                Column::Main(column) => (0, column),
                Column::Aux(column) => (1, column),
            };
            out.word(kind);
            out.count(column);
            out.count(boundary.row());
            let constant = boundary.constant_value();
            out.word(u64::from(constant.is_some()));
            out.word(constant.map_or(0, |value| value.as_u64()));
        }
        out.count(self.periodic().len());
        for table in self.periodic() {
            out.count(table.width());
            out.count(table.height());
            table.data().iter().for_each(|value| out.word(value.as_u64()));
        }
        out.count(self.host_aux().len());
        self.host_aux().iter().for_each(|&index| out.count(index));
        if let Some(running) = self.running() {
            out.program(&running.program);
            out.count(running.columns.len());
            for (column, &index) in running.columns.iter().zip(&running.aux_index) {
                out.count(index);
                out.word(u64::from(column.kind == RunningKind::Sum));
                out.word(u64::from(column.inclusive));
                out.count(column.numerator);
                out.count(column.denominator);
            }
        }
        out.0.finalize().into()
    }
}
