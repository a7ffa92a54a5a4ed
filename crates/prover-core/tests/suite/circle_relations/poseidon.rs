//! A sponge of a small Poseidon: it calls permutations in one relation and takes their results from another.

use circle_air::{AirComponent, PreProcessedColumnId, lookup_elements};
use field::{Field, M31, QM31};
use num_traits::One;
use stwo::core::channel::Blake2sChannel;
use stwo::core::fields::m31::BaseField;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry, relation};

use super::{Example, check, only};

// The number of a call, and the state that goes in or comes out.
relation!(Call, 5);
relation!(Return, 5);

/// The elements of the state that each round takes to the fifth power.
const ROUNDS: [usize; 4] = [4, 1, 1, 4];

/// Blocks that are absorbed; the first two elements of the last state are public.
#[derive(Clone)]
struct Sponge(Vec<[M31; 2]>);

fn constant(round: usize, element: usize) -> u32 {
    (1 + round as u32 * 4 + element as u32).wrapping_mul(0x9E37_79B9) >> 2
}

/// The main columns of a permutation: the state, then the square and the fifth power of each element that a round
/// takes; and the result.
fn permute(mut state: [M31; 4]) -> (Vec<M31>, [M31; 4]) {
    let mut row = state.to_vec();
    for (round, count) in ROUNDS.into_iter().enumerate() {
        for (element, value) in state.iter_mut().enumerate().take(count) {
            let x = *value + M31::new(constant(round, element));
            let square = x.square();
            *value = square.square() * x;
            row.extend([square, *value]);
        }
        let sum: M31 = state.iter().copied().sum();
        state = state.map(|value| value + sum);
    }
    (row, state)
}

impl Sponge {
    fn log_size(&self) -> u32 {
        self.0.len().ilog2()
    }

    /// For each block: the state before it, the input of the permutation, its output.
    fn rows(&self) -> Vec<[[M31; 4]; 3]> {
        let mut state = [M31::ZERO; 4];
        let row = |block: &[M31; 2]| {
            let before = state;
            let input = [before[0] + block[0], before[1] + block[1], before[2], before[3]];
            state = permute(input).1;
            [before, input, state]
        };
        self.0.iter().map(row).collect()
    }

    fn digest(&self) -> [M31; 2] {
        let [_, _, [first, second, ..]] = self.rows()[self.0.len() - 1];
        [first, second]
    }
}

#[derive(Clone)]
struct Absorb {
    log_size: u32,
    digest: [M31; 2],
    call: Call,
    back: Return,
}

impl FrameworkEval for Absorb {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [number, is_first, is_last] = ["number", "is_first", "is_last"]
            .map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let block: [E::F; 2] = std::array::from_fn(|_| eval.next_trace_mask());
        let mut state: [E::F; 4] = std::array::from_fn(|_| eval.next_trace_mask());
        let mut back = vec![number.clone()];
        for (element, before) in state.iter().enumerate() {
            let [last, after] = eval.next_interaction_mask(1, [-1, 0]);
            eval.add_constraint(before.clone() - (E::F::one() - is_first.clone()) * last);
            if let Some(digest) = self.digest.get(element) {
                let digest = E::F::from(circle_air::base(*digest));
                eval.add_constraint(is_last.clone() * (after.clone() - digest));
            }
            back.push(after);
        }
        state.iter_mut().zip(block).for_each(|(element, block)| *element += block);
        let call = [&[number][..], &state].concat();
        eval.add_to_relation(RelationEntry::new(&self.call, -E::EF::one(), &call));
        eval.add_to_relation(RelationEntry::new(&self.back, E::EF::one(), &back));
        eval.finalize_logup();
        eval
    }
}

#[derive(Clone)]
struct Permutations {
    log_size: u32,
    call: Call,
    back: Return,
}

impl FrameworkEval for Permutations {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let number = eval.next_trace_mask();
        let mut state: [E::F; 4] = std::array::from_fn(|_| eval.next_trace_mask());
        let call = [std::slice::from_ref(&number), &state].concat();
        eval.add_to_relation(RelationEntry::new(&self.call, E::EF::one(), &call));
        for (round, count) in ROUNDS.into_iter().enumerate() {
            for (element, value) in state.iter_mut().enumerate().take(count) {
                let x = value.clone() + E::F::from(BaseField::from(constant(round, element)));
                let [square, power] = [(); 2].map(|()| eval.next_trace_mask());
                eval.add_constraint(square.clone() - x.clone() * x.clone());
                eval.add_constraint(power.clone() - square.clone() * square * x);
                *value = power;
            }
            let sum = state.iter().cloned().reduce(|a, b| a + b).expect("four elements");
            state = state.map(|value| value + sum.clone());
        }
        let back = [&[number][..], &state].concat();
        eval.add_to_relation(RelationEntry::new(&self.back, -E::EF::one(), &back));
        eval.finalize_logup_in_pairs();
        eval
    }
}

impl Example for Sponge {
    type Relations = (Call, Return);
    const NAME: &'static str = "small-poseidon";
    const DRAWS: usize = 4;
    const WIDTH: usize = 5;

    fn relations(drawn: &[QM31]) -> (Call, Return) {
        (Call(lookup_elements(drawn, 0)), Return(lookup_elements(drawn, 1)))
    }

    fn draw(channel: &mut Blake2sChannel) -> (Call, Return) {
        (Call::draw(channel), Return::draw(channel))
    }

    fn words(&self) -> Vec<u32> {
        [2004, self.log_size()].into_iter().chain(self.digest().map(M31::value)).collect()
    }

    fn preprocessed(&self) -> Vec<(&'static str, Vec<u32>)> {
        let (log_size, last) = (self.log_size(), self.0.len() - 1);
        let numbers = (0..self.0.len() as u32).collect();
        vec![("number", numbers), ("is_first", only(0, log_size)), ("is_last", only(last, log_size))]
    }

    fn components(&self, (call, back): &(Call, Return)) -> Vec<Box<dyn AirComponent>> {
        let (log_size, digest, call, back) = (self.log_size(), self.digest(), call.clone(), back.clone());
        vec![
            Box::new(Absorb { log_size, digest, call: call.clone(), back: back.clone() }),
            Box::new(Permutations { log_size, call, back }),
        ]
    }

    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let (mut absorbed, mut permuted) = (vec![Vec::new(); 10], vec![Vec::new(); 25]);
        let push = |columns: &mut Vec<Vec<M31>>, row: Vec<M31>| {
            assert_eq!(columns.len(), row.len());
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        };
        for (number, (block, [before, input, after])) in self.0.iter().zip(self.rows()).enumerate() {
            push(&mut absorbed, [&block[..], &before, &after].concat());
            push(&mut permuted, [&[M31::new(number as u32)], &permute(input).0[..]].concat());
        }
        vec![absorbed, permuted]
    }
}

#[test]
fn a_sponge_calls_in_one_relation_and_gets_back_in_another() {
    check(Sponge((0..16).map(|i| [M31::new(1000 + 77 * i), M31::new(1_234_567 * i + 5)]).collect()));
}
