//! The codec: against the golden proofs, against bincode, and against hostile bytes.

use bincode::{Decode, Encode};
use field::{Field, Fp3, Goldilocks, PrimeField};
use golden::bytes;
use golden::goldilocks::{BASIC, Base, Cubic, element, elements, vector, vectors};
use goldilocks_proof::{DeepOpening, FriDecommitment, OodTable, Opening, Proof, decode, encode};
use gpu_hal::CosetProtocol;
use proof_format::{DecodeError, DecodeErrorKind};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

#[test]
fn golden_proofs_round_trip() {
    for vector in vectors() {
        let again = if vector.is_base() {
            encode(&decode::<Base>(&vector.proof).expect("valid"))
        } else {
            encode(&decode::<Cubic>(&vector.proof).expect("valid"))
        };
        assert_eq!(again, vector.proof, "{}", vector.case.name);
        let digest: [u8; 32] = Sha256::digest(&again).into();
        assert_eq!(digest.to_vec(), bytes(&vector.json["proof_sha256"]), "{}", vector.case.name);
    }
}

#[test]
fn fields_are_where_the_vectors_have_them() {
    for vector in vectors().into_iter().filter(|vector| !vector.is_base()) {
        let proof = decode::<Cubic>(&vector.proof).expect("valid");
        let json = &vector.json;
        assert_eq!(Some(proof.trace_length), json["params"]["trace_length"].as_u64());
        assert_eq!(proof.main_root.to_vec(), bytes(&json["trace_root"]));
        assert_eq!(
            proof.aux_root.map(|root| root.to_vec()),
            json["aux_root"].as_str().map(|_| bytes(&json["aux_root"]))
        );
        assert_eq!(proof.composition_root.to_vec(), bytes(&json["composition_root"]));
        let rows: Vec<Vec<Fp3>> = json["trace_ood_rows"].as_array().expect("rows").iter().map(elements).collect();
        assert_eq!(
            proof.trace_ood,
            OodTable { data: rows.concat(), width: rows[0].len() as u64, height: rows.len() as u64 }
        );
        assert_eq!(proof.composition_ood, elements(&json["composition_ood"]));
        assert_eq!(proof.fri_last_value, element(&json["fri_last_value"]));
        assert_eq!(proof.nonce, vector.nonce());
        for (opening, json) in proof.deep_openings.iter().zip(json["openings"].as_array().expect("openings")) {
            assert_eq!(opening.composition.evaluations, elements(&json["composition"]));
            assert_eq!(opening.composition.evaluations_sym, elements(&json["composition_sym"]));
        }
    }
}

/// A field element on the wire: a byte string.
#[derive(Encode, Decode)]
struct Bytes(Vec<u8>);

/// Paths and values of a decommitment.
type MirrorDecommitment = (Vec<Vec<[u8; 32]>>, Vec<Bytes>);

/// The proof object as bincode's derive sees it.
#[derive(Encode)]
struct Mirror {
    trace_length: u64,
    main_root: [u8; 32],
    aux_root: Option<[u8; 32]>,
    ood: (Vec<Bytes>, u64, u64),
    composition_root: [u8; 32],
    composition_ood: Vec<Bytes>,
    fri_roots: Vec<[u8; 32]>,
    fri_last_value: Bytes,
    fri_decommitments: Vec<MirrorDecommitment>,
    deep_openings: Vec<(MirrorOpening, MirrorOpening, Option<MirrorOpening>)>,
    nonce: Option<u64>,
    bus_inputs: Option<u64>,
}

#[derive(Encode)]
struct MirrorOpening {
    path: Vec<[u8; 32]>,
    path_sym: Vec<[u8; 32]>,
    evaluations: Vec<Bytes>,
    evaluations_sym: Vec<Bytes>,
}

fn mirror<P: CosetProtocol>(proof: &Proof<P>) -> Mirror {
    use field::ExtensionField;
    fn element<E: ExtensionField<Goldilocks>>(element: &E) -> Bytes {
        Bytes(element.coordinates().iter().flat_map(|c| c.value().to_be_bytes()).collect())
    }
    fn elements<E: ExtensionField<Goldilocks>>(list: &[E]) -> Vec<Bytes> {
        list.iter().map(element).collect()
    }
    fn opening<E: ExtensionField<Goldilocks>>(opening: &Opening<E>) -> MirrorOpening {
        MirrorOpening {
            path: opening.path.clone(),
            path_sym: opening.path_sym.clone(),
            evaluations: elements(&opening.evaluations),
            evaluations_sym: elements(&opening.evaluations_sym),
        }
    }
    Mirror {
        trace_length: proof.trace_length,
        main_root: proof.main_root,
        aux_root: proof.aux_root,
        ood: (elements(&proof.trace_ood.data), proof.trace_ood.width, proof.trace_ood.height),
        composition_root: proof.composition_root,
        composition_ood: elements(&proof.composition_ood),
        fri_roots: proof.fri_roots.clone(),
        fri_last_value: element(&proof.fri_last_value),
        fri_decommitments: proof
            .fri_decommitments
            .iter()
            .map(|decommitment| (decommitment.paths.clone(), elements(&decommitment.values)))
            .collect(),
        deep_openings: proof
            .deep_openings
            .iter()
            .map(|deep| (opening(&deep.composition), opening(&deep.main), deep.aux.as_ref().map(opening)))
            .collect(),
        nonce: proof.nonce,
        bus_inputs: None,
    }
}

fn base() -> impl Strategy<Value = Goldilocks> {
    prop_oneof![
        any::<u64>().prop_map(Goldilocks::new),
        Just(Goldilocks::ZERO),
        Just(Goldilocks::new(Goldilocks::ORDER - 1))
    ]
}

fn cubic() -> impl Strategy<Value = Fp3> {
    [base(), base(), base()].prop_map(Fp3)
}

fn list<T: std::fmt::Debug>(item: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    proptest::collection::vec(item, 0..4)
}

fn digest() -> impl Strategy<Value = [u8; 32]> {
    any::<[u8; 32]>()
}

fn integer() -> impl Strategy<Value = u64> {
    let edges = [250, 251, 0xFFFF, 0x1_0000, 0xFFFF_FFFF, 0x1_0000_0000, u64::MAX];
    prop_oneof![any::<u64>(), 0..300u64, proptest::sample::select(edges.to_vec())]
}

fn opening<F: std::fmt::Debug>(item: impl Strategy<Value = F> + Clone) -> impl Strategy<Value = Opening<F>> {
    (list(digest()), list(digest()), list(item.clone()), list(item)).prop_map(
        |(path, path_sym, evaluations, evaluations_sym)| Opening { path, path_sym, evaluations, evaluations_sym },
    )
}

fn any_proof() -> impl Strategy<Value = Proof<Cubic>> {
    let cubic = || cubic().boxed();
    let deep = (opening(cubic()), opening(base().boxed()), proptest::option::of(opening(cubic())))
        .prop_map(|(composition, main, aux)| DeepOpening { composition, main, aux });
    let decommitment =
        (list(list(digest())), list(cubic())).prop_map(|(paths, values)| FriDecommitment { paths, values });
    (
        (integer(), digest(), proptest::option::of(digest())),
        (list(cubic()), integer(), integer()).prop_map(|(data, width, height)| OodTable { data, width, height }),
        (digest(), list(cubic()), list(digest()), cubic()),
        (list(decommitment), list(deep), proptest::option::of(integer())),
    )
        .prop_map(|(head, trace_ood, middle, tail)| Proof {
            trace_length: head.0,
            main_root: head.1,
            aux_root: head.2,
            trace_ood,
            composition_root: middle.0,
            composition_ood: middle.1,
            fri_roots: middle.2,
            fri_last_value: middle.3,
            fri_decommitments: tail.0,
            deep_openings: tail.1,
            nonce: tail.2,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn encoding_is_bincode_and_decoding_its_inverse(proof in any_proof()) {
        let bytes = encode(&proof);
        let expected = bincode::encode_to_vec(mirror(&proof), bincode::config::standard()).expect("encodable");
        prop_assert_eq!(&bytes, &expected);
        prop_assert_eq!(decode::<Cubic>(&bytes).expect("an encoding"), proof);
    }

    #[test]
    fn what_decodes_is_an_encoding(mut bytes in any_proof().prop_map(|proof| encode(&proof)), at in any::<usize>(), to: u8) {
        let at = at % bytes.len();
        bytes[at] = to;
        if let Ok(proof) = decode::<Cubic>(&bytes) {
            prop_assert_eq!(encode(&proof), bytes);
        }
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        if let Ok(proof) = decode::<Cubic>(&bytes) {
            prop_assert_eq!(encode(&proof), bytes.clone());
        }
        let _ = decode::<Base>(&bytes);
    }
}

fn refused(bytes: &[u8]) -> DecodeError {
    decode::<Cubic>(bytes).expect_err("refused")
}

#[test]
fn truncations_and_trailing_bytes() {
    for vector in vectors().into_iter().filter(|vector| !vector.is_base()) {
        for length in 0..vector.proof.len() {
            let error = refused(&vector.proof[..length]);
            assert!(error.offset <= length, "{}: {error}", vector.case.name);
        }
        let longer = [&vector.proof[..], &[0]].concat();
        let kind = DecodeErrorKind::TrailingBytes;
        assert_eq!(refused(&longer), DecodeError { offset: vector.proof.len(), kind });
        assert!(decode::<Base>(&vector.proof).is_err(), "elements of 24 bytes are none of 8");
    }
}

/// The golden proof whose layout the protocol document spells out.
fn worked_example() -> Vec<u8> {
    vector(BASIC).proof
}

/// The example with some bytes replaced by others.
fn splice(at: usize, remove: usize, insert: &[u8]) -> Vec<u8> {
    let mut bytes = worked_example();
    bytes.splice(at..at + remove, insert.iter().copied());
    bytes
}

#[test]
fn only_the_shortest_integers() {
    let kind = DecodeErrorKind::LongInteger;
    for long in [&[0xFB, 0x20, 0][..], &[0xFC, 0x20, 0, 0, 0], &[0xFD, 0x20, 0, 0, 0, 0, 0, 0, 0]] {
        assert_eq!(refused(&splice(0, 1, long)), DecodeError { offset: 0, kind: kind.clone() });
        // The length of the OOD table, 9 items.
        let long: Vec<u8> = long.iter().map(|&byte| if byte == 0x20 { 9 } else { byte }).collect();
        assert_eq!(refused(&splice(66, 1, &long)), DecodeError { offset: 66, kind: kind.clone() });
    }
    assert_eq!(refused(&splice(0, 1, &[0xFC, 0xFF, 0xFF, 0, 0])), DecodeError { offset: 0, kind: kind.clone() });
    assert_eq!(
        refused(&splice(0, 1, &[0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])),
        DecodeError { offset: 0, kind: kind.clone() }
    );
    for tag in [0xFE, 0xFF] {
        assert_eq!(refused(&splice(0, 1, &[tag])), DecodeError { offset: 0, kind: DecodeErrorKind::IntegerTag(tag) });
    }
    for (bytes, value) in [(&[250][..], 250), (&[0xFB, 251, 0], 251), (&[0xFC, 0, 0, 1, 0], 0x1_0000)] {
        assert_eq!(decode::<Cubic>(&splice(0, 1, bytes)).expect("valid").trace_length, value);
    }
}

#[test]
fn only_the_two_option_tags() {
    // aux root, aux opening of the first query, nonce.
    for at in [33, 2170 + 438 + 488, 6457] {
        let kind = DecodeErrorKind::OptionTag(2);
        assert_eq!(refused(&splice(at, 1, &[2])), DecodeError { offset: at, kind });
    }
    assert_eq!(refused(&splice(6459, 1, &[1])), DecodeError { offset: 6459, kind: DecodeErrorKind::NotNone });
    assert_eq!(refused(&splice(6459, 1, &[3])).kind, DecodeErrorKind::OptionTag(3));
}

#[test]
fn only_canonical_elements_of_the_right_length() {
    // The first element of the OOD table starts at 67 with its length.
    for found in [8, 23, 25, 0] {
        let kind = DecodeErrorKind::ElementLength { expected: 24, found };
        assert_eq!(refused(&splice(67, 1, &[found as u8])), DecodeError { offset: 67, kind });
    }
    for coordinate in 0..3 {
        let offset = 68 + 8 * coordinate;
        for value in [Goldilocks::ORDER, Goldilocks::ORDER + 1, u64::MAX] {
            let error = refused(&splice(offset, 8, &value.to_be_bytes()));
            assert_eq!(error, DecodeError { offset, kind: DecodeErrorKind::NotCanonical });
        }
        assert!(decode::<Cubic>(&splice(offset, 8, &(Goldilocks::ORDER - 1).to_be_bytes())).is_ok());
    }
}

#[test]
fn lengths_are_bounded_by_the_input() {
    // Offsets of lengths, and the size of their smallest item.
    let rest = |offset: usize| 6460 - offset;
    let lists = [(66, 25), (326, 25), (352, 32), (506, 2), (507, 1), (508, 32), (2169, 9), (2170, 32)];
    for (offset, least) in lists {
        for length in [u64::MAX, 1 << 40, 0xFFFF] {
            let kind = DecodeErrorKind::ListLength(length);
            let integer = [&[0xFD][..], &length.to_le_bytes()].concat();
            let integer = if length == 0xFFFF { vec![0xFB, 0xFF, 0xFF] } else { integer };
            assert_eq!(refused(&splice(offset, 1, &integer)), DecodeError { offset, kind });
        }
        // One more than what fits: refused at the length itself, before any item is read.
        let too_many = (rest(offset) / least + 1) as u64;
        if (251..0x1_0000).contains(&too_many) {
            let integer = [&[0xFB][..], &(too_many as u16).to_le_bytes()].concat();
            let kind = DecodeErrorKind::ListLength(too_many);
            assert_eq!(refused(&splice(offset, 1, &integer)), DecodeError { offset, kind });
        }
    }
}
