//! Values without building a circuit, next to those of its builder.

use circuits::values::{GateRecording, RecordError, Traced, ValuesError};
use circuits_core::context::{Context, FinalizedContext};
use circuits_core::ivalue::IValue;
use circuits_core::ops::{eq, guess, inv, permute};
use circuits_core::simd::Simd;
use circuits_core::wrappers::M31Wrapper;
use field::{M31, QM31};
use stwo::core::fields::qm31::SecureField;

use crate::examples::{self, GIVEN};

fn values(context: &FinalizedContext<SecureField>) -> Vec<QM31> {
    context.values().iter().copied().map(circle_air::qm31).collect()
}

#[test]
fn values_are_the_ones_of_the_builder_wire_for_wire() {
    let recorded = GateRecording::of(|| (examples::unblinded::<Traced>(0), GIVEN)).unwrap();
    for seed in [1, 2, 77, 0x7fff_fffe] {
        let built = values(&examples::unblinded(seed));
        assert_eq!(recorded.wires(), built.len());
        let executed = recorded.values(&built[..GIVEN]).unwrap();
        assert_eq!(executed.iter().zip(&built).position(|(a, b)| a != b), None);
    }
}

/// Guesses of every kind: inverses, inverses and bits of words, an order.
fn guesses<V: IValue>(numbers: [u32; 4]) -> FinalizedContext<V> {
    let mut context = Context::<V>::new(0);
    let from = |number: u32| V::from_qm31(circle_air::secure(QM31([number, 0, 0, 0].map(M31::new))));
    let numbers = numbers.map(|number| guess(&mut context, from(number)));
    let wide = Simd::pack(&mut context, &numbers.map(M31Wrapper::new_unsafe));
    wide.guess_inv_or_zero(&mut context);
    wide.guess_lsb(&mut context);
    inv(&mut context, numbers[0]);
    let turned = numbers.map(|number| {
        let u = context.u();
        circuits_core::ops::mul(&mut context, number, u)
    });
    permute(&mut context, &turned, IValue::sort_by_u_coordinate);
    context.finalize(false)
}

#[test]
fn guesses_of_every_kind_are_made() {
    const GIVEN: usize = 3 + 4;
    let recorded = GateRecording::of(|| (guesses::<Traced>([0; 4]), GIVEN)).unwrap();
    for numbers in [[5, 0, 0x7fff_fffe, 2], [1, 1, 1, 1], [9, 8, 7, 6]] {
        let built = guesses::<SecureField>(numbers);
        assert!(built.is_circuit_valid());
        assert_eq!(recorded.values(&values(&built)[..GIVEN]).unwrap(), values(&built));
    }
    let mut given = values(&guesses::<SecureField>([1; 4]))[..GIVEN].to_vec();
    given[3] = QM31::default();
    assert!(matches!(recorded.values(&given), Err(ValuesError::Zero { .. })));
}

#[test]
fn values_that_no_gate_takes_are_refused() {
    let recorded = GateRecording::of(|| (examples::unblinded::<Traced>(0), GIVEN)).unwrap();
    let given = values(&examples::unblinded(3))[..GIVEN].to_vec();
    let refused = |place: usize, value: QM31| {
        let mut given = given.clone();
        given[place] = value;
        recorded.values(&given).unwrap_err()
    };
    // The number of which a hash reads the halves.
    assert!(matches!(refused(GIVEN - 2, QM31([1; 4].map(M31::new))), ValuesError::Form { .. }));
    assert!(matches!(refused(GIVEN - 3, QM31::default()), ValuesError::Zero { .. }));
    let short = recorded.values(&given[1..]).unwrap_err();
    assert_eq!(short, ValuesError::Given { given: GIVEN - 1, expected: GIVEN });
}

/// Two guesses that must be equal.
fn equal<V: IValue>(numbers: [u32; 2]) -> FinalizedContext<V> {
    let mut context = Context::<V>::new(0);
    let from = |number: u32| V::from_qm31(circle_air::secure(QM31([number, 0, 0, 0].map(M31::new))));
    let [a, b] = numbers.map(|number| guess(&mut context, from(number)));
    eq(&mut context, a, b);
    context.finalize(false)
}

#[test]
fn wires_that_must_be_equal_are() {
    const GIVEN: usize = 3 + 2;
    let recorded = GateRecording::of(|| (equal::<Traced>([0; 2]), GIVEN)).unwrap();
    let given = |numbers| values(&equal::<SecureField>(numbers))[..GIVEN].to_vec();
    assert_eq!(recorded.values(&given([7, 7])).unwrap(), values(&equal([7, 7])));
    let refused = recorded.values(&given([7, 8])).unwrap_err();
    assert!(matches!(refused, ValuesError::Unequal { wires: [3, 4], .. }), "{refused}");
}

#[test]
fn circuits_that_are_not_known_whole_are_refused() {
    let missing = GateRecording::of(|| (examples::unblinded::<Traced>(0), GIVEN - 1)).unwrap_err();
    assert_eq!(missing, RecordError::Unknown { wire: GIVEN - 1 });
}
