//! Polynomials in cells, as trees: evaluated on the host, in a recorder, in an evaluator of stwo's.

use std::ops::{Add, Mul, Sub};

use crate::draw::Draw;

/// A leaf of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// A main column, `offset` rows below; rows count in a circle.
    Cell { column: usize, offset: usize },
    /// A column that prover and verifier know, `offset` rows below.
    Known { index: usize, offset: usize },
    /// A number of the base field.
    Constant(u64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
}

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Leaf(Leaf),
    Node(Operator, Box<[Expression; 2]>),
}

impl From<Leaf> for Expression {
    fn from(leaf: Leaf) -> Self {
        Self::Leaf(leaf)
    }
}

impl Expression {
    pub(crate) fn node(operator: Operator, left: impl Into<Self>, right: impl Into<Self>) -> Self {
        Self::Node(operator, Box::new([left.into(), right.into()]))
    }

    /// One whose degree is `degree` at most, of up to `2^depth` leaves, which `leaf` draws.
    pub(crate) fn draw(draw: &mut Draw, degree: usize, depth: u32, leaf: &dyn Fn(&mut Draw) -> Leaf) -> Self {
        if degree == 0 || draw.one_in(8) {
            return Leaf::Constant(draw.word() >> draw.below(64)).into();
        }
        if depth == 0 {
            return leaf(draw).into();
        }
        let operator = draw.of(&[Operator::Add, Operator::Sub, Operator::Mul, Operator::Mul]);
        let degrees = match operator {
            Operator::Mul => {
                let left = draw.below(degree + 1);
                [left, degree - left]
            }
            _ => [degree; 2],
        };
        let [left, right] = degrees.map(|degree| Self::draw(draw, degree, depth - 1, leaf));
        Self::node(operator, left, right)
    }

    /// Total degree, a cell counting 1.
    pub(crate) fn degree(&self) -> usize {
        match self {
            Self::Leaf(Leaf::Constant(_)) => 0,
            Self::Leaf(_) => 1,
            Self::Node(operator, operands) => {
                let [left, right] = operands.each_ref().map(Self::degree);
                if matches!(operator, Operator::Mul) { left + right } else { left.max(right) }
            }
        }
    }

    /// Calls `visit` with every leaf.
    pub(crate) fn leaves(&self, visit: &mut dyn FnMut(Leaf)) {
        match self {
            Self::Leaf(leaf) => visit(*leaf),
            Self::Node(_, operands) => operands.iter().for_each(|operand| operand.leaves(visit)),
        }
    }

    /// Its value in the type that `read` gives for a leaf.
    pub(crate) fn evaluate<T>(&self, read: &dyn Fn(Leaf) -> T) -> T
    where
        T: Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
    {
        match self {
            Self::Leaf(leaf) => read(*leaf),
            Self::Node(operator, operands) => {
                let [left, right] = operands.each_ref().map(|operand| operand.evaluate(read));
                match operator {
                    Operator::Add => left + right,
                    Operator::Sub => left - right,
                    Operator::Mul => left * right,
                }
            }
        }
    }
}
