//! The example AIRs: what the list refuses, and honest traces of all of them.

use std::collections::BTreeMap;

use air::{AirError, airs, check_trace, record};
use field::{Field, Fp3, Goldilocks};
use gpu_hal::{CosetProtocol, Protocol};

use crate::common::Stark;

#[test]
fn the_registry_refuses_what_it_does_not_have() {
    let build = |name: &str, rows: u64, params: &[(&str, u64)]| {
        let params: BTreeMap<String, u64> = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        airs::build::<Stark>(name, rows, &params).map(|air| air.layout())
    };
    match build("fibonaci", 16, &[]) {
        Err(AirError::UnknownAir { name, known }) => {
            assert_eq!((name.as_str(), known.len()), ("fibonaci", airs::all().len()));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        build("wide", 16, &[("width", 2), ("depth", 3)]),
        Err(AirError::UnknownParam { air: "wide", param: "depth".into(), known: vec!["width", "degree", "free"] })
    );
    assert!(matches!(build("quadratic", 16, &[("steps", 3)]), Err(AirError::UnknownParam { .. })));
    assert!(matches!(
        build("wide", 16, &[("width", 2)]),
        Err(AirError::MissingParam { air: "wide", param: "degree", .. })
    ));
    for (name, rows, params) in [
        ("fibonacci-rap", 16, &[("steps", 1)][..]),
        ("fibonacci-rap", 16, &[("steps", 16)]),
        ("fibonacci-rap", 16, &[("steps", u64::MAX)]),
        ("wide", 16, &[("width", 0), ("degree", 1)]),
        ("wide", 16, &[("width", u64::MAX), ("degree", 1)]),
        ("wide", 16, &[("width", 1), ("degree", 0)]),
        ("wide", 16, &[("width", 1), ("degree", 9)]),
        ("bit-flags", 8, &[]),
        ("quadratic", 2, &[]),
        ("quadratic", 0, &[]),
        ("quadratic", 1 << 33, &[]),
        ("quadratic", u64::MAX, &[]),
        ("read-only-memory", 24, &[]),
    ] {
        let result = build(name, rows, params);
        assert!(matches!(result, Err(AirError::BadParam { .. })), "{name} {rows} {params:?}: {result:?}");
    }
    let most = if usize::BITS > 32 { 32 } else { 31 };
    assert!(build("quadratic", 1 << most, &[]).is_ok());
    assert_eq!(build("fibonacci-rap", 16, &[]), build("fibonacci-rap", 16, &[("steps", 15)]));
}

/// Records and checks the honest trace of every AIR at the smallest sizes, wide ones of all degrees, both extensions.
fn all_honest<P: CosetProtocol>(challenge: <P as Protocol>::Ext) {
    for info in airs::all() {
        for rows in [4u64, 8, 16, 32, 128] {
            if info.name == "bit-flags" && rows < 16 {
                continue;
            }
            let sets: Vec<Vec<u64>> = match info.name {
                "fibonacci-rap" => [2, 3, rows / 2, rows - 2, rows - 1].map(|steps| vec![steps.max(2)]).to_vec(),
                "wide" => (1..=8).flat_map(|degree| [1, 2, 5].map(|width| vec![width, degree])).collect(),
                _ => vec![vec![]],
            };
            for values in sets {
                let params = info.params.iter().map(|param| param.name.to_owned()).zip(values).collect();
                let air = airs::build::<P>(info.name, rows, &params).expect("legal");
                let recorded = record(air.as_ref()).expect("records");
                let challenges = [challenge, challenge.square()][..recorded.layout().challenges].to_vec();
                check_trace(&recorded, air.as_ref(), &air.trace(), &challenges, 1)
                    .unwrap_or_else(|error| panic!("{} {rows} {params:?}: {error}", info.name));
            }
        }
    }
}

#[test]
fn honest_traces_of_all_sizes() {
    all_honest::<Stark>(Fp3::new(Goldilocks::new(1), Goldilocks::new(2), Goldilocks::new(3)));
    all_honest::<gpu_hal::GoldilocksStark<Goldilocks>>(Goldilocks::new(0x1234_5678_9abc_def0));
}
