//! The parts of an operation that each device does.

use backend_placement::Sharded;
use backend_reference::CpuReference;
use field::{Field, Fp3, Goldilocks, M31, QM31};
use golden::goldilocks::Cubic;
use gpu_hal::decorate::{Fault, Faulty};
use gpu_hal::{
    Basis, CircleDomain, CircleStark, Combination, ConstraintProgram, Constraints, CosetDomain, DeepTerm, Domain,
    ErrorKind, EvalOrder, EvalRequest, HashFn, NonceSearch, Operation, StarkBackend,
};
use hal_conformance::{Random, TestProtocol, random_combination, random_program, random_rows};

use super::{asked, counted, watched};

/// Each device takes one of two points of an extension, with nothing sent to it. The first takes both of a table that
/// is no extension.
#[test]
fn points_are_dealt_out() {
    let backend = watched::<Cubic>(2);
    let (mut random, to) = (Random::new(5), CosetDomain::new(Goldilocks::new(3), 6));
    let (coefficients, noise): (Vec<Goldilocks>, Vec<Goldilocks>) = (random.elements(3 << 4), random.elements(3 << 6));
    let points = [(); 2].map(|()| Fp3(random.elements(3).try_into().expect("three coordinates")));
    let second = &backend.devices()[1];
    second.disarm();
    let from = Basis::Evaluations { domain: to.prefix(4), order: EvalOrder::Storage };
    let columns = backend.upload(&coefficients, 3, 4).expect("uploaded");
    let mut table = backend.lde(columns.as_ref(), Basis::Coefficients, to).expect("extended");
    let values = |table: &gpu_hal::Table<Sharded<Faulty<CpuReference<Cubic>>>>| {
        backend
            .eval_at(&[EvalRequest { columns: table.as_ref(), from, points: &points }])
            .map(|mut values| values.remove(0))
    };
    let horner = |column: &[Goldilocks], point: Fp3| {
        column.iter().rev().fold(Fp3::ZERO, |value, coefficient| value * point + Fp3::from(*coefficient))
    };
    let expected = points.iter().map(|point| coefficients.chunks(16).map(|column| horner(column, *point)).collect());
    assert_eq!(values(&table).expect("values"), expected.collect::<Vec<Vec<_>>>());

    let fails = || second.arm(Fault { operation: Some(Operation::EvalAt), after: 0, kind: ErrorKind::OutOfMemory });
    fails();
    let error = values(&table).expect_err("the second device has a point");
    assert!(error.detail.starts_with("device 1 of 2: "), "{error}");
    // A table that another is added to is no extension any more: its first rows count, which the first device has.
    let noise = backend.upload(&noise, 3, 6).expect("uploaded");
    backend.accumulate(table.as_mut(), noise.as_ref()).expect("added");
    fails();
    let rows = backend.download(table.as_ref(), 0..16).expect("rows");
    let alone = CpuReference::<Cubic>::new();
    let prefix = alone.upload(&rows, 3, 4).expect("uploaded");
    let alone = alone.eval_at(&[EvalRequest { columns: prefix.as_ref(), from, points: &points }]).expect("values");
    assert_eq!(values(&table).expect("the first device has both points"), alone[0]);
}

/// As many devices have a part of the constraints as there are parts that are closed under the steps of the trace.
#[test]
fn constraints_are_cut_as_far_as_they_are_closed() {
    let (random, log_trace, log_size) = (&mut Random::new(6), 4, 6);
    let domain = CosetDomain::new(Goldilocks::new(3), log_size);
    let program = random_program::<Cubic>(random, 3, 30);
    let combination = random_combination(random, &program, &domain, log_trace);
    let params: Vec<Fp3> = (0..program.params()).map(|_| random.ext::<Goldilocks, Fp3>()).collect();
    let widths = (0..program.groups().len()).map(|group| program.base_width(group));
    let data: Vec<(usize, Vec<Goldilocks>)> = widths.map(|width| (width, random.elements(width << log_size))).collect();
    fn evaluated<B: StarkBackend<P = Cubic>>(
        backend: &B,
        data: &[(usize, Vec<Goldilocks>)],
        program: &ConstraintProgram<Cubic>,
        (params, combination): (&[Fp3], &Combination<Cubic>),
        (domain, log_trace, log_eval): (CosetDomain<Goldilocks>, u32, u32),
    ) -> Vec<Goldilocks> {
        let upload = |(width, data): &(usize, Vec<Goldilocks>)| {
            backend.upload(data, *width, domain.log_size()).expect("uploaded")
        };
        let tables: Vec<_> = data.iter().map(upload).collect();
        let columns: &Vec<_> = &tables.iter().map(gpu_hal::Columns::as_ref).collect();
        let program = &backend.prepare(program).expect("prepared");
        let request = Constraints { program, columns, domain, log_trace, log_eval, params, combination };
        let values = backend.constraint_eval(&[request]).expect("evaluated");
        backend.download(values[0].as_ref(), 0..values[0].height()).expect("values")
    }
    let (backend, alone) = (watched::<Cubic>(4), CpuReference::<Cubic>::new());
    for (log_eval, parts) in [(4, [1, 0, 0, 0]), (5, [1, 1, 0, 0]), (6, [1, 1, 1, 1])] {
        let (added, points) = ((&params[..], &combination), (domain, log_trace, log_eval));
        let expected = evaluated(&alone, &data, &program, added, points);
        assert_eq!(evaluated(&backend, &data, &program, added, points), expected, "2^{log_eval} points");
        assert_eq!(asked(&backend, Operation::ConstraintEval), parts, "2^{log_eval} points");
    }
    // The first of two devices has all of 2^5 points. The other takes half of them where that is much work.
    let backend = watched::<Cubic>(2);
    for (steps, parts) in [(30, [1, 0]), (3000, [1, 1])] {
        let program = random_program::<Cubic>(random, 3, steps);
        let combination = random_combination(random, &program, &domain, log_trace);
        let params: Vec<Fp3> = (0..program.params()).map(|_| random.ext::<Goldilocks, Fp3>()).collect();
        let widths = (0..program.groups().len()).map(|group| program.base_width(group));
        let data: Vec<_> = widths.map(|width| (width, random.elements(width << log_size))).collect();
        let (added, points) = ((&params[..], &combination), (domain, log_trace, 5));
        let expected = evaluated(&alone, &data, &program, added, points);
        assert_eq!(evaluated(&backend, &data, &program, added, points), expected, "{steps} steps");
        assert_eq!(asked(&backend, Operation::ConstraintEval), parts, "{steps} steps");
    }
}

/// Requests whose points are one closed part are dealt out, each to the device that has least to do up to then; of
/// devices that have a part of the points: of a prefix that the first device has, it has all.
#[test]
fn requests_are_dealt_out() {
    type Case = (ConstraintProgram<CircleStark>, Combination<CircleStark>, Vec<QM31>, Vec<Vec<M31>>, u32, u32);
    fn evaluated<B: StarkBackend<P = CircleStark>>(backend: &B, cases: &[Case]) -> Vec<Vec<M31>> {
        let upload = |program: &ConstraintProgram<CircleStark>, (group, data): (usize, &Vec<M31>), log_size: u32| {
            backend.upload(data, program.base_width(group), log_size).expect("uploaded")
        };
        let uploaded = |(program, _, _, data, _, log_size): &Case| -> Vec<_> {
            data.iter().enumerate().map(|data| upload(program, data, *log_size)).collect()
        };
        let tables: Vec<Vec<_>> = cases.iter().map(uploaded).collect();
        let columns: Vec<Vec<_>> =
            tables.iter().map(|tables| tables.iter().map(gpu_hal::Columns::as_ref).collect()).collect();
        let programs: Vec<_> = cases.iter().map(|case| backend.prepare(&case.0).expect("prepared")).collect();
        let mut requests = Vec::new();
        for (((_, combination, params, _, log_trace, log_size), program), columns) in
            cases.iter().zip(&programs).zip(&columns)
        {
            let (domain, log_trace, log_eval) = (CircleDomain::canonic(*log_size), *log_trace, log_trace + 1);
            requests.push(Constraints { program, columns, domain, log_trace, log_eval, params, combination });
        }
        let made = backend.constraint_eval(&requests).expect("evaluated");
        made.iter().map(|values| backend.download(values.as_ref(), 0..values.height()).expect("values")).collect()
    }
    let random = &mut Random::new(8);
    let program = random_program::<CircleStark>(random, 3, 30);
    let mut cases = |log_traces: &[u32], log_blowup: u32| -> Vec<Case> {
        let case = |log_trace: &u32| {
            let log_size = log_trace + log_blowup;
            let combination = random_combination(random, &program, &CircleDomain::canonic(log_size), *log_trace);
            let params = (0..program.params()).map(|_| random.ext::<M31, QM31>()).collect();
            let widths = (0..program.groups().len()).map(|group| program.base_width(group));
            let data = widths.map(|width| random.elements(width << log_size)).collect();
            (program.clone(), combination, params, data, *log_trace, log_size)
        };
        log_traces.iter().map(case).collect()
    };
    let alone = CpuReference::<CircleStark>::new();
    // There are 2, 8, 2, 4 and 4 units of work: the first device has 8 and 2, and the second 4, 4 and 2.
    for (count, log_blowup, calls) in
        [(2, 1, vec![2, 3]), (4, 1, vec![1, 1, 1, 2]), (2, 2, vec![5, 0]), (4, 2, vec![2, 3, 0, 0])]
    {
        let (backend, cases) = (watched::<CircleStark>(count), cases(&[3, 5, 3, 4, 4], log_blowup));
        let what = format!("{count} devices, blowup 2^{log_blowup}");
        assert_eq!(evaluated(&backend, &cases), evaluated(&alone, &cases), "{what}");
        assert_eq!(asked(&backend, Operation::ConstraintEval), calls, "{what}");
    }
}

/// Every device makes the quotient at points of its own block, which are its part of the extension, or fix it.
#[test]
fn quotients_on_a_circle_are_made_where_they_are_extended() {
    let random = &mut Random::new(7);
    let (backend, alone) = (counted::<CircleStark>(2), CpuReference::<CircleStark>::new());
    // Log2 of the points that are wanted of 2^6, and of the rows of a lower table; how often each device makes a
    // quotient, and extends, the two tables included.
    for (log_wanted, low, quotients, extensions) in [(5, 3, [1, 1], [2, 2]), (4, 3, [1, 1], [3, 3])] {
        let data: Vec<(u32, Vec<M31>)> = [log_wanted, low].map(|log| (log, random.elements(2 << log))).into();
        let weights = (0..2).flat_map(|table| (0..2).map(move |column| (table, column)));
        let weights = weights.map(|(table, column)| (table, column, random.ext::<M31, QM31>())).collect();
        let point = CircleStark::point(random);
        let terms =
            [DeepTerm { point, weights, constant: random.ext::<M31, QM31>(), slope: CircleStark::slope(random) }];
        fn quotient<B: StarkBackend<P = CircleStark>>(
            backend: &B,
            data: &[(u32, Vec<M31>)],
            terms: &[DeepTerm<CircleStark>],
            log_wanted: u32,
        ) -> [Vec<M31>; 2] {
            let log_blowup = 6 - log_wanted;
            let extended = data.iter().map(|(log, data)| {
                let rows = backend.upload(data, 2, *log).expect("uploaded");
                let from = Basis::Evaluations { domain: CircleDomain::canonic(*log), order: EvalOrder::Row };
                backend.lde(rows.as_ref(), from, CircleDomain::canonic(log + log_blowup)).expect("an extension")
            });
            let tables: Vec<_> = extended.collect();
            let columns: Vec<_> = tables.iter().map(gpu_hal::Columns::as_ref).collect();
            let domain = CircleDomain::prefix_of(6, log_wanted);
            let values = backend.deep_quotient(&columns, domain, terms).expect("a quotient");
            let from = Basis::Evaluations { domain, order: EvalOrder::Storage };
            let extended = backend.lde(values.as_ref(), from, CircleDomain::canonic(6)).expect("an extension");
            [values, extended].map(|table| backend.download(table.as_ref(), 0..table.height()).expect("values"))
        }
        let made = quotient(&backend, &data, &terms, log_wanted);
        let case = format!("2^{log_wanted} points, a table of 2^{low} rows");
        let calls = [Operation::DeepQuotient, Operation::Lde]
            .map(|operation| backend.devices().iter().map(|device| device.seen_of(operation)).collect::<Vec<_>>());
        assert_eq!(calls, [quotients.to_vec(), extensions.to_vec()], "{case}");
        backend.devices().iter().for_each(|device| device.disarm());
        // The values are made up, so that the quotient is no polynomial, and its extension is compared in whole proofs
        // alone.
        assert_eq!(made[0], quotient(&alone, &data, &terms, log_wanted)[0], "{case}");
    }
}

/// The devices have windows one after the other, so that the first nonce wins, and each round begins where the last one
/// ended.
#[test]
fn windows_of_nonces_are_dealt_out() {
    let alone = CpuReference::<CircleStark>::new();
    for (count, bits) in [(2, 13), (4, 14)] {
        let backend = watched::<CircleStark>(count);
        let mut most = 0;
        for digest in 0..4 {
            let challenge = NonceSearch { hash: HashFn::Blake2s, prefix: [digest; 32], bits };
            let expected = alone.grind_within(&challenge, 3..50).expect("a search");
            assert_eq!(backend.grind_within(&challenge, 3..50).expect("a search"), expected, "digest {digest}");
            // Each device has a window in a round.
            let rounds = 1 + ((expected.expect("many windows") >> 12) - 3) / count as u64;
            assert_eq!(asked(&backend, Operation::Grind), vec![rounds; count], "digest {digest}");
            most = most.max(rounds);
        }
        assert!(most > 1, "more than a round is needed at times");
        let easy = NonceSearch { hash: HashFn::Blake2s, prefix: [9; 32], bits: bits - 2 };
        assert_eq!(backend.grind(&easy).expect("a search"), alone.grind(&easy).expect("a search"));
        assert_eq!(asked(&backend, Operation::Grind)[1..].iter().sum::<u64>(), 0, "less than a window for a device");
    }
}

/// Every device runs a row program whose columns are extended in blocks, so that no row crosses for the extension.
#[test]
fn row_programs_are_run_where_their_columns_are_extended() {
    let (backend, alone) = (counted::<CircleStark>(2), CpuReference::<CircleStark>::new());
    for (log_rows, runs) in [(1, [1, 0]), (5, [1, 1])] {
        let case = random_rows::<M31>(&mut Random::new(8), log_rows, 40);
        let (made, counters) = case.run(&backend).expect("a right program");
        assert_eq!(asked(&backend, Operation::Rows), runs, "2^{log_rows} rows");
        let from = Basis::Evaluations { domain: CircleDomain::canonic(log_rows), order: EvalOrder::Row };
        let to = CircleDomain::canonic(log_rows + 1);
        let extended = backend.lde(made.columns.as_ref(), from, to).expect("extended");
        if runs == [1, 1] {
            assert_eq!(asked(&backend, Operation::Upload), [0, 0], "nothing was copied");
        }
        let (other, others) = case.run(&alone).expect("a right program");
        let expected = alone.lde(other.columns.as_ref(), from, to).expect("extended");
        let all = |table: &gpu_hal::Table<CpuReference<CircleStark>>| alone.download(table.as_ref(), 0..table.height());
        let expected = [&expected, &other.columns].into_iter().chain(&other.lists).chain(&others).map(all);
        let on_both = [&extended, &made.columns].into_iter().chain(&made.lists).chain(&counters);
        for (table, expected) in on_both.zip(expected) {
            let found = backend.download(table.as_ref(), 0..table.height()).expect("downloaded");
            assert!(found == expected.expect("downloaded"), "2^{log_rows} rows");
        }
    }
}
