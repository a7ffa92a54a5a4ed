//! Every check of an operation refuses wrong arguments, in words that name it, and lets the right arguments pass.

use field::{Field, Fp3, Goldilocks};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::op::Op;
use gpu_hal::{
    Basis, Capabilities, CircleDomain, CircleStark, Columns, Combination, CombinationGroup, ConstraintProgram,
    Constraints, CosetDomain, DeepTerm, DeviceBuffer, DeviceTree, Domain, ErrorKind, EvalOrder, EvalRequest, Factor,
    GoldilocksStark, HashFn, Leaves, Multiplier, NonceSearch, OpenRequest, Operation, Result, RunningColumn,
    RunningForm, RunningKind, RunningRequest, Types, check, op,
};

type Stark = GoldilocksStark;
type Coset = CosetDomain<Goldilocks>;

/// A buffer that is only a length.
struct Len(usize);

impl DeviceBuffer for Len {
    fn len(&self) -> usize {
        self.0
    }
}

/// A tree that is only the log2 of its leaves.
struct LogLeaves(u32);

impl DeviceTree for LogLeaves {
    fn log_leaves(&self) -> u32 {
        self.0
    }
}

/// Lengths in place of a backend.
struct Lengths;

impl Types for Lengths {
    type P = Stark;
    type Buffer = Len;
    type Tree = LogLeaves;
    type Program = ConstraintProgram<Stark>;
}

/// A table of the length that its shape wants.
fn table(width: usize, log_height: u32) -> Columns<Len> {
    Columns::new(Len(width << log_height), width, log_height)
}

/// The check of an operation on a backend that has one hash.
fn check_of<O: Op>(args: &O::Args<'_, Lengths>) -> Result<()> {
    check_on::<O, Lengths>(args)
}

fn check_on<O: Op, T: Types>(args: &O::Args<'_, T>) -> Result<()> {
    let capabilities = Capabilities {
        backend: "lengths".into(),
        device: "none".into(),
        operations: Operation::ALL.to_vec(),
        hashes: vec![HashFn::Poseidon2, HashFn::Blake2s],
        max_log_height: 32,
        blocks: true,
        at_once: 1,
        stops: false,
    };
    O::check::<T>(args, &capabilities)
}

/// Tables that are only lengths, on the circle.
struct CircleLengths;

impl Types for CircleLengths {
    type P = CircleStark;
    type Buffer = Len;
    type Tree = LogLeaves;
    type Program = ConstraintProgram<CircleStark>;
}

/// `result` refuses with these words.
#[track_caller]
fn refused<T>(op: Operation, words: &str, result: Result<T>) {
    let Err(error) = result else { panic!("{op}: passes, not refused with '{words}'") };
    assert_eq!(error.kind, ErrorKind::InvalidArgument, "{error}");
    assert_eq!(error.op, op.into(), "{error}");
    assert!(error.detail.contains(words), "not '{words}' but: {error}");
}

fn coset(log_size: u32) -> Coset {
    CosetDomain::new(Goldilocks::new(7), log_size)
}

fn evaluations(log_size: u32, order: EvalOrder) -> Basis<Coset> {
    Basis::Evaluations { domain: coset(log_size), order }
}

fn storage(log_size: u32) -> Basis<Coset> {
    evaluations(log_size, EvalOrder::Storage)
}

const NO_SHIFT: Coset = CosetDomain { shift: Goldilocks::ZERO, log_size: 3 };

#[test]
fn domains() {
    assert!(coset(32).is_valid() && !coset(33).is_valid() && !NO_SHIFT.is_valid());
    let circle = |log_size| CircleDomain::canonic(log_size).is_valid();
    let line = |log_size| CircleDomain::line(log_size).is_valid();
    assert!(!circle(0) && circle(1) && circle(30) && !circle(31));
    assert!(line(0) && line(29) && !line(30));
    assert_eq!(coset(0).folded(), None);
    assert_eq!(coset(4).folded(), Some(CosetDomain::new(Goldilocks::new(49), 3)));
    assert_eq!(CircleDomain::canonic(1).folded(), Some(CircleDomain::line(0)));
    assert_eq!(CircleDomain::line(0).folded(), None);
}

#[test]
fn transfers() {
    let op = Operation::Upload;
    let data = [Goldilocks::ONE; 8];
    let shape = |data: &[_], width, log_height| check::shape(op, data.len(), width, log_height);
    shape(&data, 2, 2).expect("a right upload");
    shape(&data[..0], 0, 5).expect("no column");
    refused(op, "do not make the 7 elements", shape(&data[..7], 2, 2));
    refused(op, "do not make", shape(&data, 1, 64));
    refused(op, "do not make", shape(&data[..0], 0, 64));
    refused(op, "do not make", shape(&data, 1 << 62, 2));
    let mut wild = data;
    bytemuck::bytes_of_mut(&mut wild[5]).fill(0xff);
    refused(op, "element 5 is not canonical", check::canonical(op, &[&wild[..3], &wild[3..]]));

    let op = Operation::Download;
    let buffer = Len(8);
    let download = |width, rows| check_of::<op::Download>(&(Columns::new(&buffer, width, 2), rows));
    download(2, 0..4).expect("all rows");
    download(2, 4..4).expect("no row");
    refused(op, "rows 3..5 of a table of 4 rows", download(2, 3..5));
    #[allow(clippy::reversed_empty_ranges, reason = "a range that runs backwards is the case")]
    let backwards = 3..2;
    refused(op, "rows 3..2", download(2, backwards));
    refused(op, "do not make the 8 elements", download(3, 0..1));
}

#[test]
fn transforms() {
    let op = Operation::Ntt;
    let ntt_of = |width, from, to| check_of::<op::Ntt>(&(Columns::new(&mut Len(16), width, 3), from, to));
    let ntt = |from, to| ntt_of(2, from, to);
    ntt(Basis::Coefficients, storage(3)).expect("forward");
    ntt(evaluations(3, EvalOrder::Row), Basis::Coefficients).expect("back");
    refused(op, "from coefficients to evaluations or back", ntt(Basis::Coefficients, Basis::Coefficients));
    refused(op, "from coefficients to evaluations or back", ntt(storage(3), storage(3)));
    refused(op, "its domain 2^2", ntt(Basis::Coefficients, storage(2)));
    refused(op, "its domain 2^4", ntt(storage(4), Basis::Coefficients));
    let none = Basis::Evaluations { domain: NO_SHIFT, order: EvalOrder::Storage };
    refused(op, "no such domain", ntt(Basis::Coefficients, none));
    refused(op, "do not make", ntt_of(1, Basis::Coefficients, storage(3)));

    let op = Operation::Lde;
    let buffer = Len(16);
    let lde_of = |width, from, to| check_of::<op::Lde>(&(Columns::new(&buffer, width, 3), from, to));
    let lde = |from, to| lde_of(2, from, to);
    lde(storage(3), coset(3)).expect("the same size");
    lde(Basis::Coefficients, coset(5)).expect("a larger one");
    refused(op, "smaller than the 2^3 rows", lde(Basis::Coefficients, coset(2)));
    refused(op, "its domain 2^4", lde(storage(4), coset(5)));
    refused(op, "no such domain", lde(Basis::Coefficients, coset(33)));
    refused(op, "no such domain", lde(none, coset(5)));
    refused(op, "do not make", lde_of(1, Basis::Coefficients, coset(5)));

    let op = Operation::Split;
    let buffer = Len(24);
    let split =
        |width, log, parts, log_part| check_of::<op::Split>(&(Columns::new(&buffer, width, log), parts, log_part));
    split(3, 3, 2, 2).expect("two halves");
    split(3, 3, 3, 1).expect("a rest that is dropped");
    split(6, 2, 1, 2).expect("two extension columns");
    check_of::<op::Split>(&(Columns::new(&Len(8), 8, 0), 1, 0)).expect("columns that are no whole extension columns");
    refused(op, "0 parts", split(3, 3, 0, 1));
    refused(op, "3 parts of 2^2", split(3, 3, 3, 2));
    refused(op, "1 parts of 2^64", split(3, 3, 1, 64));
    refused(op, "parts of 2^2", split(3, 3, usize::MAX, 2));
    refused(op, "no column", check_of::<op::Split>(&(Columns::new(&Len(0), 0, 3), 1, 1)));
    refused(op, "do not make", split(3, 2, 1, 1));

    let op = Operation::Select;
    let (low, high) = (Len(4), Len(16));
    let (low, high) = (Columns::new(&low, 1, 2), Columns::new(&high, 2, 3));
    let select = |tables: &[Columns<&Len>], picks: &[_]| check_of::<op::Select>(&(tables, picks));
    select(&[high, high], &[(1, 1), (0, 0), (0, 0)]).expect("repeats");
    refused(op, "different heights", select(&[high, low], &[(0, 0)]));
    refused(op, "no column picked", select(&[high], &[]));
    refused(op, "column 2 of table 0", select(&[high], &[(0, 1), (0, 2)]));
    refused(op, "column 0 of table 1", select(&[high], &[(1, 0)]));
    refused(op, "do not make", select(&[Columns::new(&Len(5), 1, 2)], &[(0, 0)]));
}

#[test]
fn trees() {
    let op = Operation::Merkle;
    let (low, high, highest) = (Len(4), Len(16), Len(16));
    let (low, high, highest) = (Columns::new(&low, 1, 2), Columns::new(&high, 2, 3), Columns::new(&highest, 1, 4));
    let merkle_by = |tables: &[Columns<&Len>], rows_per_leaf, hash| {
        let log_height = tables.iter().map(|table| table.log_height).max().unwrap_or(0);
        check_of::<op::Merkle>(&(tables, Leaves { rows_per_leaf, log_height, log_parts: 0 }, hash))
    };
    let merkle = |tables: &[Columns<&Len>], rows_per_leaf| merkle_by(tables, rows_per_leaf, HashFn::Blake2s);
    for rows_per_leaf in [1, 2, 4] {
        merkle(&[high, high], rows_per_leaf).expect("a right tree");
        merkle(&[low], rows_per_leaf).expect("as many rows as a leaf takes, or more");
    }
    for rows_per_leaf in [8, 16] {
        merkle(&[highest, highest], rows_per_leaf).expect("as many rows as a leaf takes, or more");
        refused(op, "fewer rows than one leaf", merkle(&[low], rows_per_leaf));
    }
    for rows_per_leaf in [0, 3, 12, 32] {
        refused(op, "rows a leaf: 1, 2, 4, 8 or 16", merkle(&[highest], rows_per_leaf));
    }
    refused(op, "no table", merkle(&[], 1));
    refused(op, "of 2^2 and of 2^3 rows", merkle(&[high, low], 1));
    refused(op, "fewer rows than one leaf", merkle(&[Columns::new(&Len(2), 1, 1)], 4));
    refused(op, "do not make", merkle(&[Columns::new(&Len(3), 1, 1)], 1));
    let error = merkle_by(&[high], 1, HashFn::Keccak256).expect_err("no such hash");
    assert_eq!(error.kind, ErrorKind::Unsupported);

    let op = Operation::Open;
    let (table, tree) = (table(2, 3), LogLeaves(2));
    let columns = [table.as_ref()];
    let open = |columns: &[_], rows: &[usize], leaves: &[usize]| {
        check_of::<op::Open>(&&[OpenRequest { columns, tree: &tree, rows, leaves }][..])
    };
    open(&columns, &[7, 0, 7], &[3, 3]).expect("right openings");
    open(&[], &[], &[0]).expect("a path alone");
    refused(op, "leaf 4 of a tree of 4", open(&columns, &[], &[0, 4]));
    refused(op, "row 8 of tables of 2^3", open(&columns, &[0, 8], &[]));
    refused(op, "row 0 of no table", open(&[], &[0], &[]));
    refused(op, "do not make", open(&[Columns::new(&table.data, 1, 3)], &[], &[]));

    let search = |hash, bits, windows| {
        check_on::<op::Grind, CircleLengths>(&(&NonceSearch { hash, prefix: [0; 32], bits }, windows))
    };
    let grind = |bits, windows| search(HashFn::Blake2s, bits, windows);
    grind(64, 7..1 << 40).expect("the most");
    refused(Operation::Grind, "65 bits", grind(65, 0..1));
    refused(Operation::Grind, "windows 0 to 1099511627777 of the 1099511627776", grind(1, 0..(1 << 40) + 1));
    refused(Operation::Grind, "no proof of work", search(HashFn::Poseidon2, 1, 0..1));
    let error = search(HashFn::Keccak256, 1, 0..1).expect_err("no such hash");
    assert_eq!(error.kind, ErrorKind::Unsupported, "{error}");
    refused(Operation::Grind, "windows 2 to 1 of", grind(1, std::ops::Range { start: 2, end: 1 }));
}

#[test]
fn quotients() {
    let op = Operation::EvalAt;
    let buffer = Len(16);
    let table = Columns::new(&buffer, 2, 3);
    let evaluate = |columns, from| check_of::<op::EvalAt>(&&[EvalRequest { columns, from, points: &[] }][..]);
    let eval_at = |from| evaluate(table, from);
    eval_at(Basis::Coefficients).expect("coefficients");
    eval_at(storage(3)).expect("evaluations");
    eval_at(storage(1)).expect("the first rows");
    eval_at(evaluations(3, EvalOrder::Row)).expect("row order");
    refused(op, "its domain 2^4", eval_at(storage(4)));
    refused(op, "its domain 2^2", eval_at(evaluations(2, EvalOrder::Row)));
    refused(op, "no such domain", eval_at(Basis::Evaluations { domain: NO_SHIFT, order: EvalOrder::Storage }));
    let smaller = CosetDomain { log_size: 2, ..NO_SHIFT };
    refused(op, "no such domain", eval_at(Basis::Evaluations { domain: smaller, order: EvalOrder::Storage }));
    let wrong = Columns::new(&buffer, 1, 3);
    refused(op, "do not make", evaluate(wrong, Basis::Coefficients));

    let op = Operation::DeepQuotient;
    let term = |table, column| DeepTerm::<Stark> {
        point: Fp3::ONE,
        weights: vec![(0, 0, Fp3::ONE), (table, column, Fp3::ONE)],
        constant: Fp3::ONE,
        slope: Fp3::ZERO,
    };
    let quotient =
        |tables: &[Columns<&Len>], domain, terms: &[_]| check_of::<op::DeepQuotient>(&(tables, 0, domain, terms));
    quotient(&[table], coset(3), &[term(0, 1)]).expect("a right quotient");
    quotient(&[], coset(3), &[]).expect("an empty one");
    refused(op, "its domain 2^2", quotient(&[table], coset(2), &[term(0, 0)]));
    refused(op, "no such domain", quotient(&[], NO_SHIFT, &[]));
    refused(op, "column 2 of table 0", quotient(&[table], coset(3), &[term(0, 0), term(0, 2)]));
    refused(op, "column 0 of table 1", quotient(&[table], coset(3), &[term(1, 0)]));
    refused(op, "do not make", quotient(&[wrong], coset(3), &[term(0, 0)]));

    let op = Operation::FriFold;
    let buffer = Len(24);
    let fold =
        |width, log, domain| check_of::<op::FriFold>(&(Columns::new(&buffer, width, log), domain, domain, Fp3::ONE));
    fold(3, 3, coset(3)).expect("a right fold");
    refused(op, "its domain 2^2", fold(3, 3, coset(2)));
    refused(op, "no such domain", fold(3, 3, NO_SHIFT));
    refused(op, "not 6", fold(6, 2, coset(2)));
    refused(op, "do not make", fold(3, 2, coset(2)));
    refused(
        op,
        "a single point",
        check_of::<op::FriFold>(&(Columns::new(&Len(3), 3, 0), coset(0), coset(0), Fp3::ONE)),
    );
}

/// Two groups, one parameter, two outputs.
fn program() -> ConstraintProgram<Stark> {
    let groups = vec![Group { width: 2, kind: Kind::Base }, Group { width: 1, kind: Kind::Ext }];
    let mut builder = ProgramBuilder::new(groups, 1);
    let (x, y, alpha) = (builder.load(0, 1, 0), builder.load(1, 0, 1), builder.param(0));
    let product = builder.mul(x, y);
    let sum = builder.add(product, alpha);
    builder.output(sum);
    builder.output(x);
    builder.finish().expect("within the layout")
}

#[test]
fn programs() {
    let program = program();
    let (main, wide, tall, low, ext) = (table(2, 3), table(3, 3), table(2, 4), table(2, 0), table(3, 3));
    let both = [main.as_ref(), ext.as_ref()];
    let misshapen = [Columns::new(&main.data, 1, 3), ext.as_ref()];
    let one = [Fp3::ONE];

    let op = Operation::Running;
    let column =
        |numerator, denominator| RunningColumn { kind: RunningKind::Sum, inclusive: true, numerator, denominator };
    let running = |columns: &[_], log_height, params: &[_], running: &[_]| {
        let form = RunningForm::Columns(running);
        check_of::<op::Running>(&&[RunningRequest { program: &program, columns, log_height, params, form }][..])
    };
    running(&both, 3, &one, &[column(0, 1)]).expect("right arguments");
    running(&[low.as_ref(), ext.as_ref()], 5, &one, &[column(1, 0), column(0, 0)]).expect("periodic tables");
    refused(op, "1 tables for a program of 2 groups", running(&both[..1], 3, &one, &[column(0, 1)]));
    refused(op, "has 2 base columns, its table 3", running(&[wide.as_ref(), both[1]], 3, &one, &[column(0, 1)]));
    refused(op, "group 0 has 2^4 rows, the domain 2^3", running(&[tall.as_ref(), both[1]], 3, &one, &[column(0, 1)]));
    refused(op, "do not make", running(&misshapen, 3, &one, &[column(0, 1)]));
    refused(op, "0 parameters for a program of 1", running(&both, 3, &[], &[column(0, 1)]));
    refused(op, "output 2 of a program of 2", running(&both, 3, &one, &[column(0, 1), column(2, 1)]));
    refused(op, "output 3 of a program of 2", running(&both, 3, &one, &[column(0, 3)]));
    refused(op, "no column to build", running(&both, 3, &one, &[]));
    for log_height in [60, 63, 64, u32::MAX] {
        refused(op, "more than an address can reach", running(&both, log_height, &one, &[column(0, 1)]));
    }

    let op = Operation::ConstraintEval;
    let plain = Multiplier { factors: Vec::new(), column: None };
    let combine = |multiplier: &Multiplier<Goldilocks>, output| Combination {
        groups: vec![CombinationGroup { multiplier: multiplier.clone(), terms: vec![(output, Fp3::ONE)] }],
    };
    let right = combine(&plain, 1);
    let eval = |columns: &[_], domain, logs: (u32, u32), params: &[_], combination: &_| {
        let (log_trace, log_eval) = logs;
        let args = Constraints { program: &program, columns, domain, log_trace, log_eval, params, combination };
        check_of::<op::ConstraintEval>(&&[args][..])
    };
    eval(&both, coset(3), (2, 3), &one, &right).expect("right arguments");
    eval(&both, coset(3), (2, 2), &one, &right).expect("a prefix");
    eval(&both, coset(3), (3, 3), &one, &right).expect("no blowup");
    eval(&[low.as_ref(), both[1]], coset(3), (3, 3), &one, &right).expect("a table of period one");
    refused(op, "1 tables for", eval(&both[..1], coset(3), (2, 3), &one, &right));
    refused(op, "its table 3", eval(&[wide.as_ref(), both[1]], coset(3), (2, 3), &one, &right));
    refused(op, "2^4 rows, the domain 2^3", eval(&[tall.as_ref(), both[1]], coset(3), (2, 3), &one, &right));
    refused(op, "lower than the blowup 2^1", eval(&[low.as_ref(), both[1]], coset(3), (2, 3), &one, &right));
    refused(op, "do not make", eval(&misshapen, coset(3), (2, 3), &one, &right));
    refused(op, "2 parameters", eval(&both, coset(3), (2, 3), &[Fp3::ONE; 2], &right));
    refused(op, "no such domain", eval(&both, NO_SHIFT, (2, 3), &one, &right));
    refused(op, "must not fall", eval(&both, coset(3), (3, 2), &one, &right));
    refused(op, "must not fall", eval(&both, coset(3), (2, 4), &one, &right));
    refused(op, "output 2 of a program of 2", eval(&both, coset(3), (2, 3), &one, &combine(&plain, 2)));
    let factor = |log_power| Factor { log_power, constant: Goldilocks::ONE, inverse: true };
    let power = |log_power| Multiplier { factors: vec![factor(0), factor(log_power)], column: None };
    eval(&both, coset(3), (2, 3), &one, &combine(&power(2), 0)).expect("the largest power");
    refused(op, "above the trace length", eval(&both, coset(3), (2, 3), &one, &combine(&power(3), 0)));
    let by_column = |column| Multiplier { factors: Vec::new(), column: Some(column) };
    eval(&both, coset(3), (2, 3), &one, &combine(&by_column((1, 2)), 0)).expect("the last coordinate");
    for column in [(0, 2), (1, 3), (2, 0)] {
        let result = eval(&both, coset(3), (2, 3), &one, &combine(&by_column(column), 0));
        refused(op, "does not exist", result);
    }
}
