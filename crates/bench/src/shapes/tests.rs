//! Sizes and names of operations.

use std::collections::BTreeSet;

use crate::Goldilocks3;
use crate::measurable::Measurable;
use gpu_hal::CircleStark;

use super::*;

fn check<P: Measurable>() {
    for size in [Size::Small, Size::Full] {
        let all = Shape::sized(&P::shapes(), size);
        let operations: BTreeSet<Operation> = all.iter().map(Shape::operation).collect();
        assert_eq!(operations.len(), Operation::ALL.len());
        assert_eq!(all.iter().map(Shape::name).collect::<BTreeSet<_>>().len(), all.len());
    }
    let swept = Shape::swept(&P::shapes(), 4..=5);
    assert!(swept.iter().all(|shape| matches!(shape.log(), Some(4 | 5))));
    assert_eq!(swept.iter().map(Shape::name).collect::<BTreeSet<_>>().len(), swept.len());
}

#[test]
fn every_operation_has_a_size_and_a_name_of_its_own() {
    check::<Goldilocks3>();
    check::<CircleStark>();
}
