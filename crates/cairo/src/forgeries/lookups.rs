//! The lookups of a row that a test has made: the lookups that the row makes, and whether a table answers them.

use std::collections::BTreeMap;

use cairo_air::relations::CommonLookupElements;
use field::{M31, QM31};
use num_bigint::BigUint;
use num_traits::Zero;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::Relation;

use super::row::Component;
use crate::air_1_3::elements;

/// Bits of a limb.
const LIMB: u32 = 9;

/// The number of a relation, which its lookups begin with.
pub(super) const ADDRESS_TO_ID: u32 = 1_444_891_767;
pub(super) const ID_TO_VALUE: u32 = 1_662_111_297;
pub(super) const RANGE_CHECK_6: u32 = 1_185_356_339;
pub(super) const RANGE_CHECK_12: u32 = 941_275_232;
pub(super) const RANGE_CHECK_18: u32 = 1_109_051_422;
pub(super) const RANGE_CHECK_3_6_6_3: u32 = 1_005_786_011;
pub(super) const XOR_8: u32 = 112_558_620;
pub(super) const XOR_9: u32 = 95_781_001;

/// Elements like any other.
pub(super) fn drawn() -> CommonLookupElements {
    elements(&[7, 11].map(|k| QM31([k, 3 * k + 1, 1 << k, 1_000_003 * k].map(M31::new))))
}

/// The limbs of a number.
pub(super) fn limbs(number: &BigUint, count: u32) -> Vec<u32> {
    let mask = BigUint::from((1u32 << LIMB) - 1);
    let limb = |index: u32| (number >> (LIMB * index)) & &mask;
    let limbs: Vec<u32> = (0..count).map(|index| limb(index).try_into().unwrap()).collect();
    assert!((number >> (LIMB * count)).is_zero(), "{number} has more than {count} limbs");
    limbs
}

/// Lookups, each its relation and its values.
#[derive(Default)]
pub(super) struct Lookups(Vec<Vec<u32>>);

impl Lookups {
    pub(super) fn push(&mut self, relation: u32, values: impl IntoIterator<Item = u32>) {
        self.0.push(std::iter::once(relation).chain(values).collect());
    }

    /// The id at an address. Each cell has a value of its own, so that each address has its id.
    pub(super) fn id(&mut self, address: u32) -> u32 {
        let id = (1 << 30) + address;
        self.push(ADDRESS_TO_ID, [address, id]);
        id
    }

    /// The id at an address and, behind it, the limbs of the value there.
    pub(super) fn read(&mut self, address: u32, limbs: &[u32]) -> Vec<u32> {
        let id = self.id(address);
        self.push(ID_TO_VALUE, std::iter::once(id).chain(limbs.iter().copied()));
        std::iter::once(id).chain(limbs.iter().copied()).collect()
    }

    /// The first that no table answers. Memory answers if an address has one id, an id one value, and a value limbs of
    /// nine bits.
    fn unanswered(&self) -> Option<&[u32]> {
        let mut memory = BTreeMap::new();
        let mut is_answered = |lookup: &Vec<u32>| match lookup[..] {
            [relation @ (ADDRESS_TO_ID | ID_TO_VALUE), key, ref value @ ..] => {
                let has_limbs = relation == ADDRESS_TO_ID || value.iter().all(|limb| limb >> LIMB == 0);
                has_limbs && *memory.entry((relation, key)).or_insert(value.to_vec()) == value
            }
            [RANGE_CHECK_6, a] => a >> 6 == 0,
            [RANGE_CHECK_12, a] => a >> 12 == 0,
            [RANGE_CHECK_18, a] => a >> 18 == 0,
            [RANGE_CHECK_3_6_6_3, a, b, c, d] => [a >> 3, b >> 6, c >> 6, d >> 3] == [0; 4],
            [XOR_8, a, b, c] => [a >> 8, b >> 8] == [0; 2] && a ^ b == c,
            [XOR_9, a, b, c] => [a >> 9, b >> 9] == [0; 2] && a ^ b == c,
            _ => panic!("{lookup:?}"),
        };
        self.0.iter().find(|lookup| !is_answered(lookup)).map(Vec::as_slice)
    }

    fn sum(&self, elements: &CommonLookupElements) -> SecureField {
        self.0.iter().fold(SecureField::zero(), |sum, lookup| {
            let values: Vec<_> = lookup.iter().map(|value| BaseField::from_u32_unchecked(*value)).collect();
            let combined: SecureField = elements.combine(&values);
            sum + combined.inverse()
        })
    }
}

/// Whether a row without preprocessed cells but its number, 0, satisfies all constraints of a component and makes
/// lookups that are answered; if not, why. It panics if the lookups are others than the row makes.
pub(super) fn satisfies<C: Component>(
    component: impl Fn(CommonLookupElements) -> C,
    cells: &[u32],
    lookups: &Lookups,
) -> Result<(), String> {
    let elements = drawn();
    let component = component(elements.clone());
    let cells: Vec<_> = cells.iter().map(|cell| BaseField::from_u32_unchecked(*cell)).collect();
    let seen = component.see(&cells, &vec![BaseField::zero(); component.fixed().len()]);
    assert_eq!(seen.sum, lookups.sum(&elements), "the lookups of the row");
    if seen.broken > 0 {
        return Err(format!("{} constraints do not hold", seen.broken));
    }
    lookups.unanswered().map_or(Ok(()), |lookup| Err(format!("{lookup:?} is in no table")))
}
