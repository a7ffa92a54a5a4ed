//! Texts of kernels: their use of the dialect, and when they read from buffers.

use field::Goldilocks;
use field::protocol::GoldilocksStark;
use ir::text::constraints::{Purpose, Run, Sink, cut, encode, kernel, parameters};
use ir::text::rows::{self, Places};
use ir::text::{Dialect, Kernel};
use ir::{Group, Kind, ProgramBuilder, RowRecorder, Schedule};

const SMALL: Dialect = Dialect { block_threads: 32, param_bytes: 0 };
const LARGE: Dialect = Dialect { block_threads: 256, param_bytes: 4096 };

/// The kernel of `7001 (a - b)` in row order, and its parameter block.
fn kernel_of(dialect: Dialect) -> (Kernel, Option<Vec<u64>>) {
    let mut builder = ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 2, kind: Kind::Base }], 0);
    let (a, b, factor) = (builder.load(0, 0, 0), builder.load(0, 1, 1), builder.constant(Goldilocks::new(7001)));
    let difference = builder.sub(a, b);
    let product = builder.mul(difference, factor);
    builder.output(product);
    let schedule = Schedule::new(&builder.finish().expect("within the layout"));
    let encoded = encode(&schedule, &[], 0, &[vec![Sink::StoreBase { column: 0 }]]);
    let run =
        Run { encoded: &encoded, slots: &[0], loads: &[10, 3, 20, 1 << 32 | 3], groups: &[], element: 8, dialect };
    let pieces = cut(&encoded, 3, 600).pieces;
    assert_eq!(pieces.len(), 1);
    let known = parameters(&run, &pieces[0]).map(|known| [known.words, known.elements].concat());
    (kernel(&run, &pieces[0], Purpose::Rows), known)
}

#[test]
fn a_constraint_program_is_text_and_an_entry_point() {
    let (Kernel { entry, text }, known) = kernel_of(LARGE);
    assert_eq!(entry, "evaluate_rows");
    assert!(text.contains("KERNEL_BOUNDED(evaluate_rows, 256, 2, ROW_BUFFERS, KnownParams)"), "{text}");
    assert!(text.contains("base_sub(r0, r1)"), "{text}");
    assert!(text.contains("p.known[0]"), "{text}");
    // Where the columns are, and the word with the height of the table.
    assert_eq!(known.expect("there is room")[..3], [10, 20, 1 << 32 | 3]);
}

#[test]
fn what_has_no_room_in_a_parameter_block_is_read_from_buffers() {
    let (Kernel { text, .. }, known) = kernel_of(SMALL);
    assert_eq!(known, None);
    assert!(text.contains("KERNEL_BOUNDED(evaluate_rows, 32, 2, ROW_BUFFERS, ProgramParams)"), "{text}");
    assert!(text.contains("constants[0]") && !text.contains("p.known"), "{text}");
}

/// The kernel of sums of a column's product at both values of the first variable, and of its lower value.
fn kernel_of_sums(purpose: Purpose) -> String {
    let mut builder = ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 2, kind: Kind::Ext }], 0);
    let (low, high) = (builder.load(0, 1, 0), builder.load(0, 1, 1));
    let product = builder.mul(low, high);
    [product, low].into_iter().for_each(|output| {
        builder.output(output);
    });
    let schedule = Schedule::new(&builder.finish().expect("within the layout"));
    let sinks = [0, 1].map(|column| vec![Sink::Store { column }]);
    let encoded = encode(&schedule, &[], 2, &sinks);
    let run = Run { encoded: &encoded, slots: &[0], loads: &[0; 4], groups: &[], element: 8, dialect: LARGE };
    let pieces = cut(&encoded, 3, 600).pieces;
    kernel(&run, &pieces[0], purpose).text
}

#[test]
fn sums_are_of_all_rows_of_a_thread() {
    let text = kernel_of_sums(Purpose::Sums);
    let lines: Vec<&str> = text.lines().collect();
    let at = |line: &str| lines.iter().position(|of| *of == line).unwrap_or_else(|| panic!("no {line} in {text}"));
    let order = ["Ext sum1 = ext_from_base(0);", "for (u64 i = sum_first; i < p.count; i += sum_step) {"];
    let order = order.map(at).into_iter().chain([at("SUM_WEIGHT(weight)"), at("}"), at("SUM_OF_BLOCK(1, 1, sum1)")]);
    assert!(order.is_sorted(), "{text}");
    assert!(text.contains("KERNEL_BOUNDED(evaluate_sums, 256, 2, SUM_BUFFERS, KnownParams)"), "{text}");
    assert!(text.contains("sum0 = ext_add(sum0, ext_mul(weight, ") && !text.contains("result"), "{text}");
}

#[test]
fn columns_are_bound_where_they_are_loaded() {
    let text = kernel_of_sums(Purpose::BoundSums);
    assert!(text.contains("KERNEL_BOUNDED(evaluate_bound_sums, 256, 2, BOUND_SUM_BUFFERS, KnownParams)"), "{text}");
    // Column 1 at 0 and at 1.
    assert!([", 2)", ", 3)"].iter().all(|place| text.contains(place)), "{text}");
    assert!(text.contains("BIND_FROM(table0, ") && !text.contains("LOAD_EXT_FROM"), "{text}");
}

#[test]
fn a_row_program_is_text_and_an_entry_point() {
    let recorder = RowRecorder::<Goldilocks>::new(1);
    recorder.columns(recorder.input(0) + recorder.word(5));
    let program = recorder.finish().expect("a program");
    let (schedule, places) = (program.schedule(&[], 4), Places::new(&program, 1));
    assert!(rows::cost(&schedule).is_some_and(|cost| cost > 0));
    let Kernel { entry, text } = rows::kernel(&program, &schedule, places, SMALL);
    assert_eq!(entry, "run_rows");
    assert!(text.contains("KERNEL_BOUNDED(run_rows, 32, 2, ROWS_BUFFERS, RowsParams)"), "{text}");
    assert!(text.contains("+ 0x5u"), "{text}");
}
