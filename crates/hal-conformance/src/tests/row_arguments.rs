//! Arguments of row programs that every backend must refuse.

use std::sync::Arc;

use backend_reference::CpuReference;
use gpu_hal::decorate::Rehearsed;
use gpu_hal::ir::RowRecorder;
use gpu_hal::{Columns, Operation, Rehearse, RowProgram, RowRun, StarkBackend};

use super::arguments::{Calls, reshape};
use crate::TestProtocol;

/// A program of `inputs` inputs, a table of two columns, a counter and a list. A row counts up to 64 times.
fn program<P: TestProtocol>(inputs: usize) -> RowProgram<P::Base> {
    let recorder = RowRecorder::new(inputs);
    let (table, counter, list) = (recorder.table(2), recorder.counter(), recorder.list(1, 2));
    let word = recorder.read(table, 1, recorder.word(0));
    recorder.columns(word);
    recorder.count(counter, recorder.words(&[0; 64]));
    recorder.emit(list, 0, word);
    recorder.emit(list, 1, word);
    recorder.finish().expect("a right program")
}

impl<P: TestProtocol, B: StarkBackend<P = P>> Calls<'_, B> {
    pub(super) fn row_programs(&self) {
        if !self.has(Operation::Rows) {
            return;
        }
        let (of_three, of_none) = (program::<P>(3), program::<P>(0));
        let (entries, half, wide, tall) = (self.small(3, 2), self.small(4, 2), self.small(6, 3), self.small(3, 4));
        let (table, narrow) = (self.small(2, 1), self.small(1, 1));
        // Counters of eight places, and the shapes that are said of them.
        let rows = |what: &str, program, source: &[_], period, tables: &[_], shapes: &[(usize, u32)], log_height| {
            let mut counters: Vec<_> = shapes.iter().map(|_| self.small(1, 3)).collect();
            let shaped = counters.iter_mut().zip(shapes);
            let mut shaped: Vec<_> =
                shaped.map(|(one, (width, log))| Columns::new(&mut one.data, *width, *log)).collect();
            let args = RowRun { program, source, period, tables, log_height };
            self.refused(Operation::Rows, what, || self.backend.rows(&args, &mut shaped));
        };
        let (source, tables, one, right) = ([entries.as_ref()], [table.as_ref()], [(1, 3)], &of_three);
        rows("a part of no whole entries", right, &[half.as_ref()], 1, &tables, &one, 3);
        rows("no source", right, &[], 1, &tables, &one, 3);
        rows("more entries than rows", right, &[tall.as_ref()], 1, &tables, &one, 3);
        rows("more entries than rows in two sites", right, &[wide.as_ref()], 1, &tables, &one, 3);
        rows("a source of another shape", right, &[reshape(&entries, 3, 1)], 1, &tables, &one, 3);
        rows("no period", right, &source, 0, &tables, &one, 3);
        rows("a period longer than the entries", right, &source, 5, &tables, &one, 3);
        rows("a source for a program without inputs", &of_none, &source, 1, &tables, &one, 3);
        rows("a table missing", right, &source, 1, &[], &one, 3);
        rows("a table too narrow", right, &source, 1, &[narrow.as_ref()], &one, 3);
        rows("a table too many", right, &source, 1, &[tables[0], tables[0]], &one, 3);
        rows("a table of another shape", right, &source, 1, &[reshape(&table, 2, 0)], &one, 3);
        rows("a counter missing", right, &source, 1, &tables, &[], 3);
        rows("a counter too many", right, &source, 1, &tables, &[(1, 3), (1, 3)], 3);
        rows("a counter of another shape", right, &source, 1, &tables, &[(2, 3)], 3);
        rows("a height that overflows", right, &source, 1, &tables, &one, 64);
        rows("more rows than words", right, &source, 1, &tables, &one, 32);

        // For this many rows the shapes are enough.
        let shapes = Rehearsed::new(Arc::new(CpuReference::<P>::new()));
        let table = |width, log| shapes.upload_shape(Columns::new((), width, log)).expect("shapes");
        let (table, mut counter) = (table(2, 1), table(1, 3));
        let args = RowRun { program: &of_none, source: &[], period: 0, tables: &[table.as_ref()], log_height: 25 };
        self.refused(Operation::Rows, "more than can be counted", || shapes.rows(&args, &mut [counter.as_mut()]));
    }
}
