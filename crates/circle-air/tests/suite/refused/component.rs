//! A component with a defect.

use circle_air::{PreProcessedColumnId, secure};
use field::QM31;
use num_traits::{One, Zero};
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, Relation, RelationEFTraitBound, RelationEntry};

/// The defect of a component.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Defect {
    None,
    DegreeFour,
    NoColumns,
    NoConstraints,
    Inverse,
    InverseOfZero,
    Branch,
    Tree(usize),
    EmptyMask,
    Offset(isize),
    NotFinalised,
    Finalised(usize),
    Late,
    NoFractions,
    Batching(&'static [usize]),
    ReadsInteraction,
    LookupOfInteraction,
    /// The false claim about an interaction column.
    Claim(QM31),
    /// An element that lookups depend on.
    Denominator(QM31),
    ManyOffsets,
    Ids(&'static [&'static str]),
    ShapeOf(QM31),
    Constants([u32; 2]),
    Logup,
    /// A lookup of this multiplicity.
    Times(u32),
    /// A lookup with this many times a column as its multiplicity.
    TimesColumn(u32),
    /// A lookup with this many times a preprocessed column as its multiplicity.
    TimesId(&'static str, u32),
}

/// `v - element`, for the one value of an entry.
pub(crate) struct Single(SecureField);

impl<F: Clone, EF: RelationEFTraitBound<F>> Relation<F, EF> for Single {
    fn combine(&self, values: &[F]) -> EF {
        EF::from(values[0].clone()) - EF::from(self.0)
    }

    fn get_name(&self) -> &str {
        "Single"
    }

    fn get_size(&self) -> usize {
        1
    }
}

#[derive(Clone)]
pub(crate) struct Component {
    pub(crate) log_size: u32,
    pub(crate) bound: u32,
    pub(crate) defect: Defect,
}

impl FrameworkEval for Component {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.bound
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        if self.defect == Defect::NoColumns {
            eval.add_constraint(E::F::zero());
            return eval;
        }
        let x = eval.next_trace_mask();
        if self.defect == Defect::NoConstraints {
            return eval;
        }
        eval.add_constraint(x.clone() * (x.clone() - E::F::one()));
        let relation = Single(SecureField::from_u32_unchecked(1, 2, 3, 4));
        let entry = |eval: &mut E, x: &E::F| {
            eval.add_to_relation(RelationEntry::new(&relation, E::EF::one(), std::slice::from_ref(x)));
        };
        match self.defect {
            Defect::None | Defect::NoColumns | Defect::NoConstraints => {}
            Defect::DegreeFour => eval.add_constraint(x.pow(4)),
            Defect::Inverse => eval.add_constraint(x.inverse() - E::F::one()),
            Defect::InverseOfZero => eval.add_constraint(x * E::F::from(BaseField::from(0)).inverse()),
            Defect::Branch => {
                if !x.is_zero() {
                    eval.add_constraint(x);
                }
            }
            Defect::Tree(tree) => {
                let [y] = eval.next_interaction_mask(tree, [0]);
                eval.add_constraint(y);
            }
            Defect::EmptyMask => {
                let [] = eval.next_interaction_mask(1, []);
            }
            Defect::Offset(offset) => {
                let [y] = eval.next_interaction_mask(1, [offset]);
                eval.add_constraint(y);
            }
            Defect::NotFinalised => entry(&mut eval, &x),
            Defect::Finalised(times) => {
                entry(&mut eval, &x);
                (0..times).for_each(|_| eval.finalize_logup());
            }
            Defect::Late => {
                entry(&mut eval, &x);
                eval.finalize_logup();
                entry(&mut eval, &x);
            }
            Defect::NoFractions => eval.finalize_logup_in_pairs(),
            Defect::Batching(batching) => {
                (0..3).for_each(|_| entry(&mut eval, &x));
                eval.finalize_logup_batched(&batching.to_vec());
            }
            Defect::ReadsInteraction => {
                let [sum] = eval.next_extension_interaction_mask(2, [0]);
                eval.add_constraint(sum);
            }
            Defect::LookupOfInteraction => {
                let [y] = eval.next_interaction_mask(2, [0]);
                entry(&mut eval, &y);
                eval.finalize_logup();
            }
            Defect::Claim(element) => {
                let element = secure(element);
                let [y] = eval.next_extension_interaction_mask(2, [0]);
                eval.add_constraint(y - E::EF::from(element));
            }
            Defect::Denominator(element) => {
                let element = secure(element);
                eval.add_to_relation(RelationEntry::new(&Single(element), E::EF::one(), &[x]));
                eval.finalize_logup();
            }
            Defect::ManyOffsets => {
                let [a, b, c] = eval.next_interaction_mask(1, [-1, 0, 1]);
                eval.add_constraint(a + b - c);
            }
            Defect::Ids(ids) => {
                for id in ids {
                    let value = eval.get_preprocessed_column(PreProcessedColumnId { id: (*id).to_owned() });
                    eval.add_constraint(value);
                }
            }
            Defect::ShapeOf(element) => {
                let element = secure(element);
                if element.0.0.0.is_multiple_of(2) {
                    eval.add_constraint(x.clone());
                }
                eval.add_constraint(E::EF::from(x) * element);
            }
            Defect::Constants(constants) => {
                for constant in constants {
                    eval.add_constraint(x.clone() * BaseField::from(constant));
                }
            }
            Defect::Times(times) => {
                let times = E::EF::from(SecureField::from(BaseField::from(times)));
                eval.add_to_relation(RelationEntry::new(&Single(SecureField::one()), times, &[x]));
                eval.finalize_logup();
            }
            Defect::TimesColumn(times) => {
                let times = E::EF::from(x.clone() * BaseField::from(times));
                eval.add_to_relation(RelationEntry::new(&Single(SecureField::one()), times, &[x]));
                eval.finalize_logup();
            }
            Defect::TimesId(id, times) => {
                let column = eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() });
                let times = E::EF::from(column * BaseField::from(times));
                eval.add_to_relation(RelationEntry::new(&Single(SecureField::one()), times, &[x]));
                eval.finalize_logup();
            }
            Defect::Logup => {
                entry(&mut eval, &x);
                eval.finalize_logup();
            }
        }
        eval
    }
}

pub(crate) fn component(defect: Defect) -> Component {
    Component { log_size: 3, bound: 4, defect }
}
