//! A state machine: a point of the plane goes some steps to the right, then some upwards. Where it was and where it is
//! are public.

use circle_air::{AirComponent, lookup_elements};
use field::{M31, QM31};
use num_traits::One;
use stwo::core::channel::Blake2sChannel;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, Relation, RelationEntry, relation};

use super::{Example, check, columns};

relation!(Place, 2);

/// Two components, one for each direction; both use the state before a step and yield the one behind it.
#[derive(Clone)]
struct Machine {
    /// Log2 of the steps to the right and upwards.
    log_steps: [u32; 2],
    start: [u32; 2],
}

impl Machine {
    fn end(&self) -> [u32; 2] {
        [0, 1].map(|axis| self.start[axis] + (1 << self.log_steps[axis]))
    }
}

#[derive(Clone)]
struct Axis {
    log_size: u32,
    axis: usize,
    place: Place,
}

impl FrameworkEval for Axis {
    sizes!();

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let mut place: [E::F; 2] = std::array::from_fn(|_| eval.next_trace_mask());
        eval.add_to_relation(RelationEntry::new(&self.place, E::EF::one(), &place));
        place[self.axis] += E::F::one();
        eval.add_to_relation(RelationEntry::new(&self.place, -E::EF::one(), &place));
        eval.finalize_logup_in_pairs();
        eval
    }
}

impl Example for Machine {
    type Relations = Place;
    const NAME: &'static str = "state-machine";
    const DRAWS: usize = 2;
    const WIDTH: usize = 2;

    fn relations(drawn: &[QM31]) -> Place {
        Place(lookup_elements(drawn, 0))
    }

    fn draw(channel: &mut Blake2sChannel) -> Place {
        Place::draw(channel)
    }

    fn words(&self) -> Vec<u32> {
        [&[2001], &self.log_steps[..], &self.start, &self.end()].concat()
    }

    fn preprocessed(&self) -> Vec<(&'static str, Vec<u32>)> {
        Vec::new()
    }

    fn components(&self, place: &Place) -> Vec<Box<dyn AirComponent>> {
        let axis = |axis: usize| Axis { log_size: self.log_steps[axis], axis, place: place.clone() };
        vec![Box::new(axis(0)), Box::new(axis(1))]
    }

    /// All places cancel but the first and the last.
    fn total(&self, place: &Place) -> SecureField {
        let fraction = |at: [u32; 2]| {
            let combined: SecureField = place.combine(&at.map(BaseField::from));
            combined.inverse()
        };
        fraction(self.start) - fraction(self.end())
    }

    fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        let ([x, y], [end, _]) = (self.start, self.end());
        let (right, up) = (0..1 << self.log_steps[0], 0..1 << self.log_steps[1]);
        vec![columns(right.map(|step| [x + step, y])), columns(up.map(|step| [end, y + step]))]
    }
}

#[test]
fn a_state_machine_has_two_components_and_one_relation() {
    check(Machine { log_steps: [5, 4], start: [17, 16] });
}
