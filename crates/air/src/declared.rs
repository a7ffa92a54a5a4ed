//! The declarations of an AIR while it is recorded.

use alloc::string::String;
use alloc::vec::Vec;

use gpu_hal::{Protocol, RunningKind};

use crate::expression::Expression;
use crate::names::Names;
use crate::{AirError, Boundary, Rows, Scan};

/// How an auxiliary column comes about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AuxDefinition {
    Running { kind: RunningKind, scan: Scan, numerator: u32, denominator: u32 },
    Host,
}

/// Everything declared so far.
#[derive(Debug)]
pub(crate) struct Declared<P: Protocol> {
    pub(crate) expressions: Vec<Expression<P>>,
    /// Whether the expression depends on an auxiliary column.
    pub(crate) reads_aux: Vec<bool>,
    pub(crate) periodic: Vec<Vec<P::Base>>,
    pub(crate) transitions: Vec<(u32, Rows)>,
    pub(crate) boundaries: Vec<Boundary<P>>,
    pub(crate) aux: Vec<AuxDefinition>,
    pub(crate) names: Names,
    /// The scopes of [`crate::AirBuilder::named`] that are open, outer ones first.
    pub(crate) scopes: Vec<String>,
    error: Option<AirError>,
}

impl<P: Protocol> Declared<P> {
    pub(crate) fn new() -> Self {
        Self {
            expressions: Vec::new(),
            reads_aux: Vec::new(),
            periodic: Vec::new(),
            transitions: Vec::new(),
            boundaries: Vec::new(),
            aux: Vec::new(),
            names: Names::default(),
            scopes: Vec::new(),
            error: None,
        }
    }

    /// All of it, if no use was wrong.
    pub(crate) fn finish(self) -> Result<Self, AirError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// The index of an expression, which is added.
    pub(crate) fn push(&mut self, expression: Expression<P>) -> u32 {
        let Ok(index) = u32::try_from(self.expressions.len()) else {
            self.fail(gpu_hal::ir::ProgramError::TooLarge.into());
            return 0;
        };
        let aux = matches!(expression, Expression::Aux { .. })
            || expression.operands().any(|operand| self.reads_aux[operand as usize]);
        self.expressions.push(expression);
        self.reads_aux.push(aux);
        index
    }

    /// Keeps the first wrong use.
    pub(crate) fn fail(&mut self, error: AirError) {
        self.error.get_or_insert(error);
    }

    /// The name of the present declaration.
    pub(crate) fn name(&self) -> Option<String> {
        (!self.scopes.is_empty()).then(|| self.scopes.join("/"))
    }
}
