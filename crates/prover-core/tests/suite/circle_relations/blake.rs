//! A hash as Blake is built: a scheduler calls rounds of additions, exclusive ors and rotations, rounds look up nibbles
//! in a table, and three relations carry rounds, nibbles and digests.

use circle_air::{AirComponent, PreProcessedColumnId, lookup_elements};
use field::{M31, QM31};
use num_traits::One;
use stwo::core::channel::Blake2sChannel;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, Relation, RelationEntry, relation};

use super::{Example, check, columns, xor_uses, xors};

// The state before a round, a byte of the message, the state behind it.
relation!(Round, 9);
relation!(Nibbles, 3);
// Two bytes of a message, and the last state.
relation!(Digest, 6);
table!(XorTable, Nibbles);

const XOR: [&str; 3] = ["a", "b", "xor"];
const START: [u32; 4] = [0x6A, 0xBB, 0x3C, 0xA5];

/// Messages of two bytes, and their digests: public.
#[derive(Clone)]
struct Hashes(Vec<[u32; 2]>);

/// The computation of a round, and its lookups.
struct Step {
    state: [u32; 4],
    carries: [u32; 2],
    xors: [[u32; 2]; 4],
}

fn nibbles(byte: u32) -> [u32; 2] {
    [byte & 15, byte >> 4]
}

fn step([a, b, c, d]: [u32; 4], message: u32) -> Step {
    // Bytes xored, and turned by half.
    let mix = |x: u32, y: u32| {
        let byte = x ^ y;
        (byte >> 4 | byte << 4) & 255
    };
    let first = a + b + message;
    let new_a = first & 255;
    let new_d = mix(d, new_a);
    let second = c + new_d;
    let new_c = second & 255;
    let pairs = |x: u32, y: u32| [0, 1].map(|half| [nibbles(x)[half], nibbles(y)[half]]);
    let [[one, two], [three, four]] = [pairs(d, new_a), pairs(b, new_c)];
    let carries = [first >> 8, second >> 8];
    Step { state: [new_a, mix(b, new_c), new_c, new_d], carries, xors: [one, two, three, four] }
}

impl Hashes {
    fn log_size(&self) -> u32 {
        self.0.len().ilog2()
    }

    /// The states behind both rounds.
    fn states([first, second]: [u32; 2]) -> [[u32; 4]; 2] {
        let middle = step(START, first).state;
        [middle, step(middle, second).state]
    }

    fn digests(&self) -> impl Iterator<Item = [u32; 6]> + '_ {
        self.0.iter().map(|message| {
            let [_, [a, b, c, d]] = Self::states(*message);
            [message[0], message[1], a, b, c, d]
        })
    }
}

#[derive(Clone)]
struct Scheduler {
    log_size: u32,
    round: Round,
    digest: Digest,
}

impl FrameworkEval for Scheduler {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let message: [E::F; 2] = std::array::from_fn(|_| eval.next_trace_mask());
        let states: [[E::F; 4]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| eval.next_trace_mask()));
        let start = START.map(|word| E::F::from(BaseField::from(word)));
        for (before, byte, after) in [(&start, &message[0], &states[0]), (&states[0], &message[1], &states[1])] {
            let tuple = [&before[..], std::slice::from_ref(byte), after].concat();
            eval.add_to_relation(RelationEntry::new(&self.round, E::EF::one(), &tuple));
        }
        let tuple = [&message[..], &states[1]].concat();
        eval.add_to_relation(RelationEntry::new(&self.digest, -E::EF::one(), &tuple));
        eval.finalize_logup_in_pairs();
        eval
    }
}

#[derive(Clone)]
struct Rounds {
    log_size: u32,
    round: Round,
    nibbles: Nibbles,
}

impl FrameworkEval for Rounds {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let number = |value: u32| BaseField::from(value);
        let [a, c, message, carry, last_carry] = std::array::from_fn(|_| eval.next_trace_mask());
        let [b, d, new_a, new_b, new_c, new_d]: [[E::F; 2]; 6] =
            std::array::from_fn(|_| std::array::from_fn(|_| eval.next_trace_mask()));
        let byte = |[lower, upper]: &[E::F; 2]| lower.clone() + upper.clone() * number(16);
        eval.add_constraint(a.clone() + byte(&b) + message.clone() - byte(&new_a) - carry.clone() * number(256));
        eval.add_constraint(carry.clone() * (carry.clone() - E::F::one()) * (carry - E::F::from(number(2))));
        eval.add_constraint(c.clone() + byte(&new_d) - byte(&new_c) - last_carry.clone() * number(256));
        eval.add_constraint(last_carry.clone() * (last_carry - E::F::one()));
        // Halves change places.
        for (x, y, turned) in [(&d, &new_a, &new_d), (&b, &new_c, &new_b)] {
            for half in 0..2 {
                let tuple = [x[half].clone(), y[half].clone(), turned[1 - half].clone()];
                eval.add_to_relation(RelationEntry::new(&self.nibbles, E::EF::one(), &tuple));
            }
        }
        let after = [&new_a, &new_b, &new_c, &new_d].map(byte);
        let tuple = [&[a, byte(&b), c, byte(&d), message][..], &after].concat();
        eval.add_to_relation(RelationEntry::new(&self.round, -E::EF::one(), &tuple));
        eval.finalize_logup_in_pairs();
        eval
    }
}

impl Example for Hashes {
    type Relations = (Round, Nibbles, Digest);
    const NAME: &'static str = "small-blake";
    const DRAWS: usize = 6;
    const WIDTH: usize = 9;

    fn relations(drawn: &[QM31]) -> Self::Relations {
        (Round(lookup_elements(drawn, 0)), Nibbles(lookup_elements(drawn, 1)), Digest(lookup_elements(drawn, 2)))
    }

    fn draw(channel: &mut Blake2sChannel) -> Self::Relations {
        (Round::draw(channel), Nibbles::draw(channel), Digest::draw(channel))
    }

    fn words(&self) -> Vec<u32> {
        [2003, self.log_size()].into_iter().chain(self.digests().flatten()).collect()
    }

    fn preprocessed(&self) -> Vec<(&'static str, Vec<u32>)> {
        XOR.into_iter().zip(xors(4)).collect()
    }

    fn components(&self, (round, nibbles, digest): &Self::Relations) -> Vec<Box<dyn AirComponent>> {
        let log_size = self.log_size();
        vec![
            Box::new(Scheduler { log_size, round: round.clone(), digest: digest.clone() }),
            Box::new(Rounds { log_size: log_size + 1, round: round.clone(), nibbles: nibbles.clone() }),
            Box::new(XorTable { log_size: 8, ids: XOR, relation: nibbles.clone() }),
        ]
    }

    /// Nobody but the public uses the digests.
    fn total(&self, (_, _, digest): &Self::Relations) -> SecureField {
        let fraction = |tuple: [u32; 6]| {
            let combined: SecureField = digest.combine(&tuple.map(BaseField::from));
            -combined.inverse()
        };
        self.digests().map(fraction).sum()
    }

    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let (mut scheduled, mut rounds, mut looked_up) = (Vec::new(), Vec::new(), Vec::new());
        for message in &self.0 {
            let states = Self::states(*message);
            scheduled.push(std::array::from_fn::<_, 10, _>(|at| match at {
                0 | 1 => message[at],
                _ => states[(at - 2) / 4][(at - 2) % 4],
            }));
            for (before, byte) in [(START, message[0]), (states[0], message[1])] {
                let Step { state, carries, xors } = step(before, byte);
                let halves = [before[1], before[3], state[0], state[1], state[2], state[3]].map(nibbles);
                rounds.push(std::array::from_fn::<_, 17, _>(|at| match at {
                    0..5 => [before[0], before[2], byte, carries[0], carries[1]][at],
                    _ => halves[(at - 5) / 2][(at - 5) % 2],
                }));
                looked_up.extend(xors);
            }
        }
        vec![columns(scheduled), columns(rounds), xor_uses(4, looked_up)]
    }
}

#[test]
fn a_hash_has_a_relation_for_each_kind_of_call() {
    check(Hashes((0..8).map(|i| [(37 * i + 11) % 256, (91 * i + 200) % 256]).collect()));
}
