//! The values of a program: each with a name of its own instead of a register, and the cheapest form that its readers
//! take.
//!
//! A product costs a third less if it may be any u64 instead of a canonical element ("lazy"), which factors of products
//! and minuends may be. Sums of products in the extension are kept unreduced from the first product on.

use alloc::vec;
use alloc::vec::Vec;
use std::collections::HashMap;

use super::encoded::{IS_CONSTANT, op};

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The instruction of that number.
    Value(usize),
    /// The constant at that place.
    Constant(usize),
    /// There is none.
    None,
}

/// How a value is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// As an element.
    Element,
    /// Not by itself: a product that the one sum that reads it adds up.
    Product,
    /// As a sum that stays unreduced, for the one sum that goes on from it.
    Open,
}

/// An instruction whose operands are values.
#[derive(Debug)]
pub(super) struct Step {
    /// As encoded.
    pub(super) operation: u32,
    /// As encoded: a load's number, the column of a store, the accumulator of a weighted output.
    pub(super) place: u32,
    pub(super) operands: [Source; 2],
    pub(super) form: Form,
    /// Whether a sum or difference adds up products unreduced, from the first operand on.
    pub(super) adds_products: bool,
    /// Whether the coordinates are canonical; if not they may be any u64.
    pub(super) is_canonical: bool,
}

const ADD_EXT: u32 = op::ADD[3];
const SUB_EXT: u32 = op::SUB[3];
const MUL_EXT: u32 = op::MUL[3];
const MUL_EXT_BASE: u32 = op::MUL[2];

impl Step {
    fn is_product(&self) -> bool {
        op::MUL.contains(&self.operation)
    }

    /// Whether there is a cheaper form than the canonical one.
    fn may_be_lazy(&self) -> bool {
        self.is_product() || self.adds_products
    }
}

/// The steps of encoded instructions, one each.
pub(super) fn steps(code: &[[u32; 4]]) -> Vec<Step> {
    let mut steps = named(code);
    let mut readers = vec![0u32; steps.len()];
    for source in steps.iter().flat_map(|step| step.operands) {
        if let Source::Value(value) = source {
            readers[value] += 1;
        }
    }
    keep_sums_open(&mut steps, &readers);
    put_lazy_first(&mut steps);
    ask_for_canonical(&mut steps);
    steps
}

/// The same, every value as an element.
pub(super) fn named(code: &[[u32; 4]]) -> Vec<Step> {
    // The value in each register. Registers of base and of extension elements have different numbers.
    let mut held: HashMap<u32, usize> = HashMap::new();
    let mut steps = Vec::with_capacity(code.len());
    for (number, &[operation, dst, a, b]) in code.iter().enumerate() {
        let (is_load, is_store) = (op::is_load(operation), op::is_store(operation));
        let has_no_second = is_load || is_store || op::NEG.contains(&operation);
        let source = |operand: u32, is_there: bool| match (is_there, operand & IS_CONSTANT != 0) {
            (false, _) => Source::None,
            (true, true) => Source::Constant((operand & !IS_CONSTANT) as usize),
            (true, false) => held.get(&operand).map_or(Source::None, |value| Source::Value(*value)),
        };
        let operands = [source(a, !is_load), source(b, !has_no_second)];
        if !is_store && !op::MAC.contains(&operation) {
            held.insert(dst, number);
        }
        steps.push(Step {
            operation,
            place: if is_load { a } else { dst },
            operands,
            form: Form::Element,
            adds_products: false,
            is_canonical: false,
        });
    }
    steps
}

/// Finds sums and differences of products in the extension that nothing else reads.
fn keep_sums_open(steps: &mut [Step], readers: &[u32]) {
    for number in 0..steps.len() {
        if ![ADD_EXT, SUB_EXT].contains(&steps[number].operation) {
            continue;
        }
        let [mut first, mut second] = steps[number].operands;
        // The value, if this is its only reader and it is such a one.
        let only = |source: Source, is_wanted: &dyn Fn(&Step) -> bool| match source {
            Source::Value(value) if readers[value] == 1 && is_wanted(&steps[value]) => Some(value),
            _ => None,
        };
        let product = |source| only(source, &|step| [MUL_EXT, MUL_EXT_BASE].contains(&step.operation));
        let sum = |source| only(source, &|step| step.adds_products);
        if steps[number].operation == ADD_EXT && product(second).is_none() {
            (first, second) = (second, first);
        }
        let (Some(added), start) = (product(second), (product(first), sum(first))) else { continue };
        steps[added].form = Form::Product;
        match start {
            (Some(product), _) => steps[product].form = Form::Product,
            (_, Some(sum)) => steps[sum].form = Form::Open,
            _ => {}
        }
        steps[number].operands = [first, second];
        steps[number].adds_products = true;
    }
}

/// Turns sums and products round whose second operand is cheaper in a form that only the first may have.
fn put_lazy_first(steps: &mut [Step]) {
    for number in 0..steps.len() {
        let Step { operation, operands: [first, second], adds_products, .. } = steps[number];
        let may_be_lazy = |source| matches!(source, Source::Value(value) if steps[value].may_be_lazy());
        let commutes = [op::ADD[0], ADD_EXT, MUL_EXT].contains(&operation) && !adds_products;
        if commutes && may_be_lazy(second) && !may_be_lazy(first) {
            steps[number].operands = [second, first];
        }
    }
}

/// Decides which values are canonical: the values that a reader takes in no other form.
fn ask_for_canonical(steps: &mut [Step]) {
    for number in (0..steps.len()).rev() {
        let Step { operation, operands: [first, second], is_canonical, adds_products, .. } = steps[number];
        let mut asked = Vec::new();
        if op::is_store(operation) || op::NEG.contains(&operation) {
            asked.push(first);
        } else if adds_products {
            // The first factor of a subtracted product is negated, or the base one.
            if let (SUB_EXT, Source::Value(product)) = (operation, second) {
                let [first, second] = steps[product].operands;
                asked.push(if steps[product].operation == MUL_EXT { first } else { second });
            }
        } else if op::ADD.contains(&operation) || op::SUB.contains(&operation) {
            asked.push(second);
            if is_canonical {
                asked.push(first);
            }
        } else if operation == MUL_EXT {
            asked.push(second);
        }
        for source in asked {
            if let Source::Value(value) = source {
                steps[value].is_canonical = true;
            }
        }
    }
}
