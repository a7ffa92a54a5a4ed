//! Everything that the verdict depends on is absorbed before the first challenge that must not be known when it is
//! chosen.

use std::convert::Infallible;

use field::{ExtensionField, Field, Fp3, Goldilocks};
use goldilocks_proof::rounds::{Main, Work};
use goldilocks_proof::seed::default_seed;
use goldilocks_proof::{Draw, OodTable, Suite, lambdaworks};
use gpu_hal::{Digest, GoldilocksStark, NonceSearch};

const LOG_ROWS: u32 = 5;

/// All that a proof and its statement bring to the transcript.
#[derive(Clone)]
struct Inputs {
    air_digest: Digest,
    rows: u64,
    public: Vec<Goldilocks>,
    options: lambdaworks::Options,
    main: Digest,
    auxiliary: Option<Digest>,
    composition: Digest,
    frame: OodTable<Fp3>,
    parts: Vec<Fp3>,
    layers: [Digest; 2],
    last: Fp3,
    nonce: u64,
}

/// The number of the first challenge that a change changes, and the change.
type Change = (usize, fn(&mut Inputs));

fn element(value: u64) -> Fp3 {
    Fp3::from(Goldilocks::new(value))
}

fn inputs() -> Inputs {
    Inputs {
        air_digest: [9; 32],
        rows: 1 << LOG_ROWS,
        public: vec![Goldilocks::new(1), Goldilocks::new(2)],
        options: lambdaworks::Options { blowup: 4, queries: 20, grinding: 5, coset_offset: 3, suite: Suite::Keccak256 },
        main: [1; 32],
        auxiliary: Some([2; 32]),
        composition: [3; 32],
        frame: OodTable { data: [1, 2, 3, 4].map(element).to_vec(), width: 2, height: 2 },
        parts: [5, 6].map(element).to_vec(),
        layers: [[4; 32], [5; 32]],
        last: element(7),
        nonce: 8,
    }
}

/// The work, for which any nonce does here.
struct Given {
    nonce: u64,
    /// Where its search begins.
    prefix: Option<Digest>,
}

impl Work for Given {
    type Error = Infallible;

    fn nonce(&mut self, draw: Draw, search: &NonceSearch) -> Result<u64, Infallible> {
        assert_eq!((draw, self.prefix), (Draw::Queries, None));
        self.prefix = Some(search.prefix);
        Ok(self.nonce)
    }
}

/// The challenges in order, as text: of the AIR, beta, the point, gamma, a factor of each fold, the input of the work,
/// the queries.
fn challenges(inputs: &Inputs) -> Vec<String> {
    let Inputs { air_digest, rows, public, options, .. } = inputs;
    let seed = default_seed::<GoldilocksStark<Fp3>>(air_digest, *rows, public, options);
    let work = &mut Given { nonce: inputs.nonce, prefix: None };
    let Ok((auxiliary, drawn)) = Main::begin(&seed, options, LOG_ROWS).challenges::<Fp3, _>(&inputs.main, 2, work);
    let Ok((composition, beta)) = auxiliary.beta::<Fp3, _>(inputs.auxiliary.as_ref(), work);
    let Ok((out_of_domain, z, second_point)) = composition.points::<Fp3, _>(&inputs.composition, 2, work);
    assert_eq!(second_point, None);
    let Ok((quotient, gamma)) = out_of_domain.gamma(&inputs.frame.in_order(&inputs.parts), work);
    let Ok((folded, first)) = quotient.zeta::<Fp3, _>(work);
    let Ok((folded, second)) = folded.zeta::<Fp3, _>(&inputs.layers[0], work);
    let Ok((folded, third)) = folded.zeta::<Fp3, _>(&inputs.layers[1], work);
    let Ok(queries) = folded.queries(&[inputs.last], work);
    let all: [&dyn std::fmt::Debug; 9] = [&drawn, &beta, &z, &gamma, &first, &second, &third, &work.prefix, &queries];
    all.iter().map(|challenge| format!("{challenge:?}")).collect()
}

#[test]
fn every_input_is_absorbed_before_what_must_not_depend_on_it() {
    let changes: [Change; 25] = [
        (0, |i| i.air_digest[31] ^= 1),
        (0, |i| i.rows += 1),
        (0, |i| i.public[1] += Goldilocks::ONE),
        (0, |i| i.public.swap(0, 1)),
        (0, |i| i.public.push(Goldilocks::ZERO)),
        (0, |i| i.options.blowup = 8),
        (0, |i| i.options.queries += 1),
        (0, |i| i.options.grinding += 1),
        (0, |i| i.options.coset_offset = 7),
        (0, |i| i.options.suite = Suite::Poseidon2),
        (0, |i| i.main[31] ^= 1),
        (1, |i| i.auxiliary = Some([6; 32])),
        (1, |i| i.auxiliary = None),
        (2, |i| i.composition[0] ^= 1),
        (3, |i| i.frame.data[0] += Fp3::ONE),
        (3, |i| i.frame.data[3] += Fp3::ONE),
        (3, |i| i.frame.data.swap(0, 2)),
        (3, |i| i.frame.data.swap(0, 1)),
        (3, |i| i.parts[1] += Fp3::ONE),
        (3, |i| i.parts.swap(0, 1)),
        (5, |i| i.layers[0][31] ^= 1),
        (6, |i| i.layers[1][31] ^= 1),
        (7, |i| i.last += <Fp3 as ExtensionField<Goldilocks>>::basis(2)),
        (7, |i| i.last += Fp3::ONE),
        (8, |i| i.nonce = 9),
    ];
    let honest = challenges(&inputs());
    for (index, (first, change)) in changes.into_iter().enumerate() {
        let mut changed = inputs();
        change(&mut changed);
        for (number, (one, other)) in honest.iter().zip(challenges(&changed)).enumerate() {
            assert_eq!(*one != other, number >= first, "change {index}, challenge {number}");
        }
    }
}
