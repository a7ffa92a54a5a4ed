//! Amounts of work: moved words and computed products, at the prices of a protocol's arithmetic on a machine.

use gpu_hal::hash::Permutation;
use gpu_hal::op::Cost;
use gpu_hal::rehearsal::Step;
use gpu_hal::{Digest, HashFn};

use crate::measurable::Measurable;

/// Work, for instance the least that an operation takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Bytes read from and written to the device's memory.
    pub bytes: f64,
    /// Bytes between host and device.
    pub link_bytes: f64,
    /// Products of the base field.
    pub products: f64,
    /// Permutations `Keccak-f[1600]`.
    pub keccak: f64,
    /// Compressions of Blake2s.
    pub blake2s: f64,
    /// Permutations Hades.
    pub hades: f64,
}

/// Poseidon2 of width 8 over Goldilocks: 8 full rounds of 8 S-boxes, 22 partial rounds of one, four products each; of
/// 14 instructions instead of 19, as the values between them need not be canonical.
const POSEIDON2_PRODUCTS: f64 = 344.0 * 14.0 / 19.0;

impl Work {
    /// The work of a cost. A search ends with `nonce`; `levels` is how many levels of a transform run between two trips
    /// to memory.
    pub(crate) fn of<P: Measurable>(cost: &Cost, nonce: u64, levels: u32) -> Self {
        let mut moved = cost.moved;
        let mut products = cost.products
            + cost.ext_products * P::EXT_PRODUCT
            + cost.added_products * P::MAC
            + cost.shifts * P::SHIFT
            + cost.deep_terms * P::TERM;
        for transform in &cost.transforms {
            let passes = f64::from(transform.log_size.div_ceil(levels).max(1));
            moved += 2.0 * transform.elements * (passes - 1.0);
            products += transform.elements * P::twiddles(transform.log_size);
        }
        let element = P::ELEMENT as f64;
        let mut work = Self {
            bytes: element * moved + size_of::<Digest>() as f64 * cost.digests,
            link_bytes: element * cost.transferred,
            products,
            ..Self::default()
        };
        let search = cost.search.map(|hash| (hash, tries(hash, nonce)));
        for (hash, permutations) in cost.hashes.into_iter().chain(search) {
            match hash.permutation() {
                Permutation::Keccak => work.keccak += permutations,
                Permutation::Poseidon2 => work.products += permutations * POSEIDON2_PRODUCTS,
                Permutation::Blake2s => work.blake2s += permutations,
                Permutation::Hades => work.hades += permutations,
            }
        }
        work
    }
}

/// The tries of a search that ends with `nonce`, one permutation each.
pub(crate) fn tries(hash: HashFn, nonce: u64) -> f64 {
    hash.nonces().number(nonce) as f64 + 1.0
}

/// Nanoseconds of one core, with vectors of 256 bits.
const NS_BYTE: f64 = 0.1;
/// For each byte of an element.
const NS_PRODUCT: f64 = 0.03;
const NS_KECCAK: f64 = 120.0;
const NS_BLAKE2S: f64 = 35.0;
const NS_HADES: f64 = 500.0;
/// Levels of a transform between two trips to memory.
const LEVELS: u32 = 16;

/// About how long the operations of a proof take on one core of a processor, each in seconds. Only ratios are of use:
/// they show how far a proof is. `nonce` is about that of the proof.
pub fn efforts<P: Measurable>(steps: &[Step], nonce: u64) -> Vec<f64> {
    let seconds = |step: &Step| {
        let work = Work::of::<P>(&step.cost, nonce, LEVELS);
        let moved = (work.bytes + work.link_bytes) * NS_BYTE;
        let hashed = work.keccak * NS_KECCAK + work.blake2s * NS_BLAKE2S + work.hades * NS_HADES;
        let computed = work.products * NS_PRODUCT * P::ELEMENT as f64 + hashed;
        (moved + computed) * 1e-9
    };
    steps.iter().map(seconds).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use backend_reference::CpuReference;
    use golden::runs::{rehearsed, rehearsed_circle};
    use goldilocks_proof::ProofOptions;
    use gpu_hal::decorate::Meter;
    use gpu_hal::op::{self, NoTypes, Op};
    use gpu_hal::{Basis, CircleStark, Columns, EvalOrder, Leaves, Operation};

    use super::*;
    use crate::Goldilocks3;

    /// 2^28 elements.
    const ELEMENTS: f64 = (1u64 << 28) as f64;

    fn work<P: Measurable, O: Op>(args: &O::Args<'_, NoTypes<P>>, levels: u32) -> Work {
        let [cost] = &O::costs(args)[..] else { panic!("one call") };
        Work::of::<P>(cost, 0, levels)
    }

    fn storage<P: Measurable>(log: u32) -> Basis<P::Domain> {
        Basis::Evaluations { domain: P::domain(log), order: EvalOrder::Storage }
    }

    pub(crate) fn ntt<P: Measurable>(width: usize, log: u32, levels: u32) -> Work {
        work::<P, op::Ntt>(&(Columns::new(&mut (), width, log), Basis::Coefficients, storage::<P>(log)), levels)
    }

    fn lde<P: Measurable>(width: usize, log: u32, from: Basis<P::Domain>, levels: u32) -> Work {
        work::<P, op::Lde>(&(Columns::new(&(), width, log), from, P::domain(log + 2)), levels)
    }

    pub(crate) fn merkle<P: Measurable>(hash: HashFn, width: usize, log_height: u32) -> Work {
        let leaves = Leaves { rows_per_leaf: 1, log_height, log_parts: 0 };
        work::<P, op::Merkle>(&(&[Columns::new(&(), width, log_height)], leaves, hash), 8)
    }

    pub(crate) fn fold<P: Measurable>(log: u32) -> Work {
        let domain = P::domain(log);
        let folded = gpu_hal::Domain::folded(&domain).unwrap();
        let layer = Columns::new(&(), P::DEGREE, log);
        work::<P, op::FriFold>(&(layer, domain, folded, field::Field::ONE), 8)
    }

    pub(crate) fn download<P: Measurable>(width: usize, log: u32) -> Work {
        work::<P, op::Download>(&(Columns::new(&(), width, log), 0..1 << log), 8)
    }

    #[test]
    fn transforms_take_whole_passes() {
        let three = ntt::<Goldilocks3>(16, 24, 8);
        assert_eq!(three.bytes, 3.0 * 2.0 * 8.0 * ELEMENTS);
        assert_eq!(three.products, 5.0 * ELEMENTS);
        assert_eq!(ntt::<Goldilocks3>(256, 20, 8).bytes, three.bytes);
        assert_eq!(ntt::<Goldilocks3>(1, 3, 8).bytes, 2.0 * 8.0 * 8.0);
        assert_eq!(ntt::<Goldilocks3>(1, 16, 16).bytes, 2.0 * 8.0 * 65536.0);
    }

    #[test]
    fn an_extension_reads_only_what_is_there() {
        let coefficients = lde::<Goldilocks3>(64, 20, Basis::Coefficients, 8);
        // A quarter read, all written, then two passes.
        assert_eq!(coefficients.bytes, 8.0 * ELEMENTS * (0.25 + 1.0 + 4.0));
        let values = lde::<Goldilocks3>(64, 20, Goldilocks3::rows(20), 8);
        assert_eq!(values.bytes, coefficients.bytes + 8.0 * ELEMENTS * 0.25 * 4.0);
    }

    #[test]
    fn hashes_have_prices() {
        let leaves = 1024.0;
        let keccak = merkle::<Goldilocks3>(HashFn::Keccak256, 8, 10);
        assert_eq!((keccak.keccak, keccak.bytes), (2.0 * leaves - 1.0, 64.0 * leaves + 32.0 * (leaves / 4.0 - 1.0)));
        assert_eq!(merkle::<Goldilocks3>(HashFn::Poseidon2, 4, 0).products, 344.0 * 14.0 / 19.0);
        let search = |hash, nonce| Work::of::<CircleStark>(&Cost { search: Some(hash), ..Cost::default() }, nonce, 8);
        assert_eq!(search(HashFn::Keccak256, 0).keccak, 1.0);
        assert_eq!(search(HashFn::Keccak256, 1 << 33).keccak, 8589934593.0);
        assert_eq!(search(HashFn::Blake2s, (1 << 20) - 1).blake2s, f64::from(1 << 20));
        // After the last low word comes the next high one.
        assert_eq!(search(HashFn::Blake2s, 1 << 32).blake2s, f64::from((1 << 20) + 1));
    }

    #[test]
    fn elements_of_the_circle_are_half_as_long() {
        assert_eq!(ntt::<CircleStark>(16, 24, 8).bytes, 3.0 * 2.0 * 4.0 * ELEMENTS);
        assert_eq!(ntt::<CircleStark>(16, 24, 8).products, 12.0 * ELEMENTS);
        assert_eq!(fold::<CircleStark>(10).bytes, 6.0 * 4.0 * 1024.0);
        let tree = merkle::<CircleStark>(HashFn::Blake2s, 64, 10);
        assert_eq!((tree.bytes, tree.blake2s), (256.0 * 1024.0 + 32.0 * 255.0, 5.0 * 1024.0 - 1.0));
    }

    /// The link carries the bytes of the works, to the device and to the host.
    fn check<P: Measurable>(steps: &[Step], meter: &Meter, what: &str) {
        let link = |of: &[Operation]| -> f64 {
            let steps = steps.iter().filter(|step| of.contains(&step.operation));
            steps.map(|step| Work::of::<P>(&step.cost, 0, 8).link_bytes).sum()
        };
        let uploads = [Operation::Upload, Operation::UploadLde];
        let uploaded: u64 = uploads.iter().map(|operation| meter.of(*operation).uploaded).sum();
        let downloaded = meter.of(Operation::Download).downloaded;
        assert_eq!(link(&uploads), uploaded as f64, "{what}: to the device");
        assert_eq!(link(&[Operation::Download]), downloaded as f64, "{what}: to the host");
        assert_eq!(link(Operation::ALL), (uploaded + downloaded) as f64, "{what}: no other operation");
    }

    #[test]
    fn the_works_are_those_of_a_goldilocks_proof() {
        let options = ProofOptions {
            blowup: 8,
            queries: 5,
            grinding: 3,
            coset_offset: 3,
            suite: goldilocks_proof::Suite::Keccak256,
        };
        rehearsed(CpuReference::<Goldilocks3>::new, &options, |rehearsal, backend, _, what| {
            check::<Goldilocks3>(&rehearsal.steps, &backend.snapshot(), what);
        });
    }

    #[test]
    fn the_works_are_those_of_a_circle_proof() {
        rehearsed_circle(CpuReference::<CircleStark>::new, 5, |rehearsal, backend, _, what| {
            check::<CircleStark>(&rehearsal.steps, &backend.snapshot(), what);
        });
    }
}
