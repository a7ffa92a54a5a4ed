//! Refusals and sharing of a recorder of row programs.

use field::{Field, Goldilocks, M31};
use ir::{MAX_WORDS, RowEffect, RowOp, RowRecorder};

type Recorder = RowRecorder<M31>;

fn ignore<T>(_: T) {}

/// The recorder's message on a wrong use.
fn refused(record: impl FnOnce(&Recorder)) -> String {
    let recorder = Recorder::new(1);
    record(&recorder);
    recorder.finish().expect_err("a wrong use").to_string()
}

#[test]
fn equal_expressions_are_one_node() {
    let recorder = Recorder::new(2);
    for _ in 0..2 {
        recorder.column((recorder.input(0) + recorder.input(1)).element());
    }
    let program = recorder.finish().expect("a right program");
    assert_eq!((program.nodes().len(), program.width(), program.inputs()), (4, 2, 2));
    assert_eq!(program.effects()[0], program.effects()[1]);
    let RowEffect::Column(last) = program.effects()[0] else { panic!("{:?}", program.effects()) };
    let mut operands = Vec::new();
    program.nodes()[last.index()].op.operands(|node| operands.push(node.index()));
    assert_eq!(operands, [2]);
    assert!(matches!(program.nodes()[2].op, RowOp::Add(..)));
}

#[test]
fn wrong_lengths_are_refused() {
    let zeros = [0; MAX_WORDS];
    assert!(refused(|r| ignore(r.input(1))).contains("input 1 of 1"));
    assert!(refused(|r| ignore(r.words(&[1, 2]) + r.words(&[1, 2, 3]))).contains("2 and 3 words"));
    assert!(refused(|r| ignore(r.words(&[]))).contains("a value of 0 words"));
    assert!(refused(|r| ignore(r.words(&zeros).int_add(r.words(&zeros)))).contains("a value of 65 words"));
    assert!(refused(|r| ignore(r.words(&zeros).convolve(r.words(&zeros)))).contains("a value of 127 words"));
    assert!(refused(|r| ignore(r.word(1) << 32)).contains("a shift by 32"));
    assert!(refused(|r| ignore(r.word(1).split(33, 1))).contains("digits of 33 bits"));
    assert!(refused(|r| ignore(r.word(1).join(0, 1))).contains("digits of 0 bits"));
    assert!(refused(|r| ignore(r.words(&[1, 2]).element())).contains("several words"));
    assert!(refused(|r| ignore(r.words(&[0; 8]).felt_inverse())).contains("without a modulus"));
    assert!(refused(|r| ignore(r.select(r.word(1), r.word(1), r.words(&[1, 2])))).contains("two lengths"));
    assert!(refused(|r| r.assert("nothing", r.words(&[1, 2]))).contains("several words"));
}

#[test]
fn what_is_not_declared_is_refused() {
    assert!(refused(|r| ignore(r.read(0, 0, r.word(0)))).contains("column 0 of table 0, which has 0"));
    assert!(refused(|r| ignore(r.read(r.table(2), 2, r.word(0)))).contains("column 2 of table 0, which has 2"));
    assert!(refused(|r| r.count(0, r.word(0))).contains("counter 0 of 0"));
    assert!(refused(|r| r.emit(0, 0, r.word(0))).contains("site 0 of list 0"));
    assert!(refused(|r| r.emit(r.list(2, 1), 0, r.word(0))).contains("1 words for site 0 of list 0"));
    assert!(refused(|r| r.emit(r.list(1, 1), 1, r.word(0))).contains("site 1 of list 0"));
}

#[test]
fn a_site_has_one_entry() {
    let none = refused(|r| r.emit(r.list(1, 2), 0, r.word(0)));
    assert_eq!(none, "no entry for site 1 of list 0");
    let two = refused(|r| {
        let list = r.list(1, 1);
        r.emit(list, 0, r.word(0));
        r.emit(list, 0, r.word(1));
    });
    assert_eq!(two, "two entries for site 0 of list 0");
    assert!(refused(|r| ignore(r.list(1, 1 << 17))).contains("131072 sites"));
    let empty = Recorder::new(0);
    empty.list(1, 0);
    assert_eq!(empty.finish().expect("a list without sites").lists()[0].columns(), 0);
}

#[test]
fn a_modulus_is_odd_and_constants_are_canonical() {
    for even in [[0; 8], [2, 0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0]] {
        let error = Recorder::new(0).with_modulus(even).finish().expect_err("no odd prime");
        assert!(error.to_string().contains("no odd prime"), "{error}");
    }
    let recorder = RowRecorder::<Goldilocks>::new(0);
    let beyond: Goldilocks = bytemuck::cast(u64::MAX);
    assert!(!beyond.is_canonical());
    recorder.column(recorder.element(beyond));
    assert!(recorder.finish().expect_err("no element").to_string().contains("node 0"));
}

#[test]
fn values_of_another_recorder_are_refused() {
    let (one, other) = (Recorder::new(0), Recorder::new(0));
    let far = (0..9).map(|k| other.word(k)).last().expect("nine constants");
    one.columns(one.word(3) + far);
    assert!(one.finish().expect_err("no such node").to_string().contains("does not fit its operands"));
}
