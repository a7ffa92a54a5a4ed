//! What the hash AIRs claim, computed with implementations that are not ours.

use circle_air::RecordedStatement;
use circle_air::airs::{Poseidon2, ShippedAir};
use field::M31;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_mersenne_31::{Mersenne31, default_mersenne31_poseidon2_16};
use p3_symmetric::{PseudoCompressionFunction, TruncatedPermutation};

#[test]
fn the_poseidon2_root_is_that_of_a_plonky3_tree() {
    let compress = TruncatedPermutation::<_, 2, 8, 16>::new(default_mersenne31_poseidon2_16());
    for log_size in 1..6 {
        let (half, start) = (1u32 << (log_size - 1), 2_147_483_600u32);
        let element = |index: u32| Mersenne31::from_u32(start) + Mersenne31::from_u32(index);
        let leaf = |node: u32| [0, 8].map(|first| std::array::from_fn(|j| element(16 * node + first + j as u32)));
        let mut layer: Vec<[Mersenne31; 8]> = (half..2 * half).map(|node| compress.compress(leaf(node))).collect();
        while layer.len() > 1 {
            layer = layer.chunks(2).map(|pair| compress.compress([pair[0], pair[1]])).collect();
        }
        let air = Poseidon2::new(log_size, M31::new(start));
        assert_eq!(air.root().map(M31::value), layer[0].map(|value| value.as_canonical_u32()), "2^{log_size}");
    }
}

#[test]
fn hash_airs_have_the_expected_shape() {
    let air = Poseidon2::new(3, M31::new(1));
    let recorded = RecordedStatement::new(&air, None).unwrap();
    let component = &recorded.components[0];
    // 16 inputs; two columns and constraints for each of 8 * 16 + 14 S-boxes; two batches of lookups.
    assert_eq!((component.width(1), component.width(2), component.constraint_count()), (300, 8, 286));
    assert_eq!(air.trace()[0].len(), 300);
    assert_eq!((component.max_offsets(), recorded.preprocessed.len()), (2, 3));
    println!(
        "nodes {} {}",
        component.constraints.nodes().len(),
        component.logup.as_ref().unwrap().program.nodes().len()
    );
    let t = std::time::Instant::now();
    let air = Poseidon2::new(16, M31::new(1));
    println!("new {:?}", t.elapsed());
    let t = std::time::Instant::now();
    air.trace();
    println!("trace {:?}", t.elapsed());
    let t = std::time::Instant::now();
    RecordedStatement::new(&air, None).unwrap();
    println!("record {:?}", t.elapsed());
}
