//! An AIR that was written and read again is the same AIR, and bytes that are no AIR are refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{self, ExampleAir};
use air::{Air, AirBuilder, AirError, AirFile, Column, Layout, Rows, Scan, record};
use field::{Field, Fp3, Goldilocks, M31};
use gpu_hal::{CircleStark, GoldilocksStark};

type P = GoldilocksStark;

fn example(name: &str) -> Arc<dyn ExampleAir<P>> {
    let parameters: &[(&str, u64)] = if name == "wide" { &[("width", 3), ("degree", 4)] } else { &[] };
    let parameters: BTreeMap<String, u64> = parameters.iter().map(|(name, value)| ((*name).into(), *value)).collect();
    airs::build(name, 32, &parameters).expect("possible")
}

/// Features that no example has: constants of the extension, sums, exempted rows, rows with a period.
struct All;

impl Air<P> for All {
    fn name(&self) -> &str {
        "all"
    }

    fn log_trace_length(&self) -> u32 {
        5
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 2, aux_columns: 2, frame_rows: 3, challenges: 2, composition_parts: 2 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let [a, b] = [0, 1].map(|column| builder.main(column, 0));
        let periodic = builder.periodic(&[1, 2, 3, 4].map(Goldilocks::new));
        let constant = builder.constant_ext(Fp3::new(Goldilocks::new(7), Goldilocks::new(8), Goldilocks::new(9)));
        let product = builder.running_product(a + builder.challenge(0), b * 5 - constant, Scan::Inclusive);
        let sum = builder.running_sum(&[(a, b + builder.challenge(1)), (b, -a)], Scan::Exclusive);
        let next = builder.aux(1, 2) - builder.aux(0, 1);
        builder.transition(next * builder.periodic_at(periodic, 1), Rows::all().every(4).from(1).except_last(2));
        builder.transition(a - b.square(), Rows::all().except_every(8, 3));
        builder.boundary(Column::Main(1), 31, Goldilocks::new(u64::MAX - (1 << 32)));
        builder.boundary(product, 3, Goldilocks::ONE);
        builder.boundary(sum, 0, Goldilocks::ZERO);
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        vec![Goldilocks::new(300)]
    }
}

#[test]
fn the_recorded_air_is_the_same() {
    let examples = airs::all().iter().map(|info| example(info.name) as Arc<dyn Air<P>>);
    let mut written = 0;
    for air in examples.chain([Arc::new(All) as Arc<dyn Air<P>>]) {
        let file = match AirFile::of(&*air) {
            // It computes a boundary from challenges.
            Err(AirError::Code { .. }) if air.name().starts_with("read-only-memory") => continue,
            file => file.expect("data alone"),
        };
        let bytes = file.encode().expect("a name");
        written += 1;
        let read = AirFile::<P>::decode(&bytes).expect("what was written");
        let (before, after) = (record(&*air).expect("an AIR"), record(&read).expect("an AIR"));
        assert_eq!(before.digest(), after.digest(), "{}", air.name());
        assert_eq!(before.public_inputs(), after.public_inputs(), "{}", air.name());
        assert_eq!(read.encode().as_ref(), Ok(&bytes), "{}: one encoding", air.name());
        assert_eq!(AirFile::of(&read).expect("data alone").encode().as_ref(), Ok(&bytes), "{}", air.name());
    }
    assert_eq!(written, airs::all().len() - 1, "all but two, and one of the tests");
}

#[test]
fn every_change_is_another_air_or_none() {
    let bytes = AirFile::of(&All).expect("data alone").encode().expect("a name");
    let digest = |file: &AirFile<P>| record(file).map(|air| (air.digest(), air.public_inputs().to_vec()));
    let original = digest(&AirFile::decode(&bytes).expect("an AIR")).expect("an AIR");
    for length in 0..bytes.len() {
        assert!(AirFile::<P>::decode(&bytes[..length]).is_err(), "{length} bytes");
    }
    assert!(AirFile::<P>::decode(&[&bytes[..], &[0]].concat()).is_err());
    let (mut read, mut recorded) = (0, 0);
    for at in 0..bytes.len() {
        for bits in [1, 2, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[at] ^= bits;
            let Ok(file) = AirFile::<P>::decode(&changed) else { continue };
            read += 1;
            assert_eq!(file.encode().as_ref(), Ok(&changed), "byte {at}: one encoding");
            if let Ok(other) = digest(&file) {
                recorded += 1;
                assert_ne!(other, original, "byte {at}");
            }
        }
    }
    assert!(read > 100 && recorded > 20 && recorded < read, "{read} were read, {recorded} recorded");
}

#[test]
fn files_of_another_protocol_are_refused() {
    let bytes = AirFile::of(&*example("quadratic")).expect("data alone").encode().expect("a name");
    let error = AirFile::<CircleStark>::decode(&bytes).expect_err("another field");
    assert!(error.to_string().contains("another protocol"), "{error}");
}

/// A program of the Circle protocol, whose field is smaller.
struct Tripled;

impl Air<CircleStark> for Tripled {
    fn name(&self) -> &str {
        "tripled"
    }

    fn log_trace_length(&self) -> u32 {
        4
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: 2, challenges: 0, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<CircleStark>) {
        builder.transition(builder.main(0, 1) - builder.main(0, 0) * 3, Rows::all().except_last(1));
        builder.boundary(Column::Main(0), 0, M31::new(0x7FFF_FFFE));
    }
}

#[test]
fn elements_are_those_of_the_field() {
    let bytes = AirFile::of(&Tripled).expect("data alone").encode().expect("a name");
    assert!(AirFile::<CircleStark>::decode(&bytes).is_ok());
    let value = 0x7FFF_FFFE_u32.to_le_bytes();
    let at = bytes.windows(4).position(|window| window == value).expect("the boundary's value");
    let mut prime = bytes.clone();
    prime[at] += 1;
    let error = AirFile::<CircleStark>::decode(&prime).expect_err("the prime itself");
    assert!(error.to_string().contains("not reduced"), "{error}");
}

/// Code that no file can hold.
struct Code(bool);

impl Air<P> for Code {
    fn name(&self) -> &str {
        "code"
    }

    fn log_trace_length(&self) -> u32 {
        3
    }

    fn layout(&self) -> Layout {
        let aux_columns = usize::from(!self.0);
        Layout { main_columns: 1, aux_columns, frame_rows: 1, challenges: 1, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        if self.0 {
            builder.boundary_with(Column::Main(0), 0, |challenges: &[Fp3]| challenges[0].square());
        } else {
            let column = builder.host_column();
            builder.boundary(column, 0, Goldilocks::ONE);
        }
    }
}

#[test]
fn functions_are_refused() {
    let boundary = AirFile::of(&Code(true)).expect_err("a function");
    assert_eq!(boundary, AirError::Code { what: "boundary", index: 0 });
    let column = AirFile::of(&Code(false)).expect_err("a function");
    assert_eq!(column, AirError::Code { what: "auxiliary column", index: 0 });
}

/// An AIR of a file at the edge of what files may have, or beyond it.
struct Many {
    frame_rows: usize,
    boundaries: usize,
    bound_rows: usize,
    sets: usize,
    early_ends: usize,
    unused: usize,
}

/// As many of everything as there may be.
const MOST: Many =
    Many { frame_rows: 64, boundaries: 4097, bound_rows: 4096, sets: 4032, early_ends: 64, unused: 1024 };

impl Air<P> for Many {
    fn name(&self) -> &str {
        "many"
    }

    fn log_trace_length(&self) -> u32 {
        13
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: self.frame_rows, challenges: 0, composition_parts: 2 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        for _ in 0..self.unused {
            builder.periodic(&[Goldilocks::ONE]);
        }
        let used = builder.periodic(&[Goldilocks::ONE, Goldilocks::ZERO]);
        let last = builder.main(0, self.frame_rows - 1) - builder.main(0, 0) + builder.periodic_at(used, 0);
        // Some twice: only distinct ones count.
        for set in (0..self.sets).chain(0..10) {
            builder.transition(last, Rows::all().every(1 << 13).from(set));
        }
        for end in 0..self.early_ends {
            builder.transition(last, Rows::all().except_last(1000 + end));
        }
        for boundary in 0..self.boundaries {
            builder.boundary(Column::Main(0), boundary % self.bound_rows, Goldilocks::ONE);
        }
    }
}

#[test]
fn what_is_dear_is_bounded_in_files() {
    let bytes = AirFile::of(&MOST).expect("as many as there may be").encode().expect("a name");
    record(&AirFile::<P>::decode(&bytes).expect("an AIR")).expect("a sound AIR");
    for (what, given, most, many) in [
        ("rows of a frame", 65, 64, Many { frame_rows: 65, ..MOST }),
        ("boundaries", 4098, 4097, Many { boundaries: 4098, ..MOST }),
        ("rows with boundaries", 4097, 4096, Many { bound_rows: 4097, ..MOST }),
        ("sets of rows of transitions", 4097, 4096, Many { sets: 4033, ..MOST }),
        ("sets of rows that end early", 65, 64, Many { sets: 10, early_ends: 65, ..MOST }),
    ] {
        match AirFile::of(&many).expect_err("one too many") {
            AirError::TooMany { what: of, given: so_many, most: at_most, .. } => {
                assert_eq!((of, so_many, at_most), (what, given, most));
            }
            other => panic!("{other}"),
        }
        record(&many).expect("code may have as many as it wants");
    }
    let unused = AirFile::of(&Many { unused: 1025, ..MOST }).expect_err("one too many");
    assert_eq!(unused, AirError::Unused { what: "periodic columns", given: 1026, used: 1, most: 1024 });
}
