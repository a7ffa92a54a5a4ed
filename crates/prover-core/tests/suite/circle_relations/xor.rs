//! Words of six bits, xored one after the other by two tables: one for the lower four bits, one for the upper two.

use circle_air::{AirComponent, PreProcessedColumnId, lookup_elements};
use field::{M31, QM31};
use num_traits::One;
use stwo::core::channel::Blake2sChannel;
use stwo::core::fields::m31::BaseField;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry, relation};

use super::{Example, check, columns, only, xor_uses, xors};

relation!(Lower, 3);
relation!(Upper, 3);
table!(LowerTable, Lower);
table!(UpperTable, Upper);

const LOWER: [&str; 3] = ["lower_a", "lower_b", "lower_xor"];
const UPPER: [&str; 3] = ["upper_a", "upper_b", "upper_xor"];

/// Secret words whose exclusive or is public.
#[derive(Clone)]
struct Words(Vec<u32>);

/// The parts of a word.
fn parts(word: u32) -> [u32; 2] {
    [word & 15, word >> 4]
}

impl Words {
    fn log_size(&self) -> u32 {
        self.0.len().ilog2()
    }

    fn result(&self) -> [u32; 2] {
        parts(self.0.iter().fold(0, |sum, word| sum ^ word))
    }

    /// Each word's parts: the sum before it, the word, the sum behind it.
    fn rows(&self) -> Vec<[[u32; 3]; 2]> {
        let mut sum = 0;
        let row = |word: &u32| {
            let before = parts(sum);
            sum ^= word;
            let (word, after) = (parts(*word), parts(sum));
            [0, 1].map(|part| [before[part], word[part], after[part]])
        };
        self.0.iter().map(row).collect()
    }
}

#[derive(Clone)]
struct User {
    log_size: u32,
    result: [u32; 2],
    lower: Lower,
    upper: Upper,
}

impl FrameworkEval for User {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [is_first, is_last] =
            ["is_first", "is_last"].map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let tuples = self.result.map(|result| {
            let [before, word] = [(); 2].map(|()| eval.next_trace_mask());
            let [last, after] = eval.next_interaction_mask(1, [-1, 0]);
            eval.add_constraint(before.clone() - (E::F::one() - is_first.clone()) * last);
            eval.add_constraint(is_last.clone() * (after.clone() - E::F::from(BaseField::from(result))));
            [before, word, after]
        });
        eval.add_to_relation(RelationEntry::new(&self.lower, E::EF::one(), &tuples[0]));
        eval.add_to_relation(RelationEntry::new(&self.upper, E::EF::one(), &tuples[1]));
        eval.finalize_logup_in_pairs();
        eval
    }
}

impl Example for Words {
    type Relations = (Lower, Upper);
    const NAME: &'static str = "xor";
    const DRAWS: usize = 4;
    const WIDTH: usize = 3;

    fn relations(drawn: &[QM31]) -> (Lower, Upper) {
        (Lower(lookup_elements(drawn, 0)), Upper(lookup_elements(drawn, 1)))
    }

    fn draw(channel: &mut Blake2sChannel) -> (Lower, Upper) {
        (Lower::draw(channel), Upper::draw(channel))
    }

    fn words(&self) -> Vec<u32> {
        [&[2002, self.log_size()], &self.result()[..]].concat()
    }

    fn preprocessed(&self) -> Vec<(&'static str, Vec<u32>)> {
        let (log_size, last) = (self.log_size(), self.0.len() - 1);
        let ends = [("is_first", only(0, log_size)), ("is_last", only(last, log_size))];
        ends.into_iter().chain(LOWER.into_iter().zip(xors(4))).chain(UPPER.into_iter().zip(xors(2))).collect()
    }

    fn components(&self, (lower, upper): &(Lower, Upper)) -> Vec<Box<dyn AirComponent>> {
        let (log_size, result) = (self.log_size(), self.result());
        vec![
            Box::new(User { log_size, result, lower: lower.clone(), upper: upper.clone() }),
            Box::new(LowerTable { log_size: 8, ids: LOWER, relation: lower.clone() }),
            Box::new(UpperTable { log_size: 4, ids: UPPER, relation: upper.clone() }),
        ]
    }

    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let rows = self.rows();
        let uses = |part: usize, bits| xor_uses(bits, rows.iter().map(|row| [row[part][0], row[part][1]]));
        let user = columns(rows.iter().map(|[[a, b, c], [d, e, f]]| [*a, *b, *c, *d, *e, *f]));
        vec![user, uses(0, 4), uses(1, 2)]
    }
}

#[test]
fn two_tables_have_a_relation_each() {
    check(Words((0..32).map(|i| (i * i + 7 * i + 3) % 64).collect()));
}
