//! The layers of trees on a device.

use std::rc::Rc;

use field::{Field, QM31};
use gpu_hal::{CircleStark, HalError, Multilinear, StarkBackend, Table, TableRef, TreeMapArgs};
use sumcheck::gkr::{Gate, HostNodes, HostTree, Kind, Layers};

use super::GkrError;
use super::eq::{Eq, LOG_FEW};
use super::nodes::{Children, DeviceNodes, Many, downloaded};
use super::programs::{TreePrograms, children_columns, sums};
use crate::observer::Observer;

/// The layers of a tree that were not given yet.
pub(super) struct DeviceTree<B: StarkBackend> {
    gate: Gate,
    variables: usize,
    output: Vec<QM31>,
    /// Layers that were given.
    given: usize,
    rows: TreeRows<B>,
}

enum TreeRows<B: StarkBackend> {
    /// Row `2^l + i` has the children of node `i` of layer `l`.
    Device(Rc<Table<B::T>>),
    Host(HostTree<QM31>),
}

/// A device with the programs of gates.
pub(super) struct Device<'b, B: StarkBackend> {
    pub(super) on: &'b B,
    observer: &'b dyn Observer<QM31>,
    /// The programs of the gates that are used.
    sums: [Option<B::Program>; 2],
}

impl<'b, B: StarkBackend<P = CircleStark>> Device<'b, B> {
    /// For trees of these kinds.
    pub(super) fn new(on: &'b B, kinds: &[Kind], observer: &'b dyn Observer<QM31>) -> Result<Self, HalError> {
        let of_gate = |gate: Gate| -> Result<Option<B::Program>, HalError> {
            kinds.iter().any(|kind| kind.gate() == gate).then(|| sums(on, gate)).transpose()
        };
        Ok(Self { on, observer, sums: [of_gate(Gate::GrandProduct)?, of_gate(Gate::LogUp)?] })
    }

    /// The layers above a table of columns.
    pub(super) fn tree(
        &self,
        kind: Kind,
        programs: &TreePrograms<B>,
        columns: TableRef<'_, B::T>,
    ) -> Result<DeviceTree<B>, HalError> {
        let (gate, variables) = (kind.gate(), columns.log_height as usize);
        let table = self.on.tree_map(&TreeMapArgs {
            leaf: &programs.leaf,
            node: &programs.node,
            columns: &[columns],
            log_height: columns.log_height + 1,
            width: children_columns(gate),
        })?;
        let root = downloaded(self.on, gate, Multilinear::layer(table.as_ref(), 0))?;
        let child = |at: usize| root.iter().map(|column| column[at]).collect::<Vec<_>>();
        let output = gate.node(&child(0), &child(1));
        let rows = if variables > LOG_FEW + 1 {
            TreeRows::Device(Rc::new(table))
        } else {
            let children = Multilinear::layer(table.as_ref(), columns.log_height - 1);
            TreeRows::Host(HostTree::new(gate, downloaded(self.on, gate, children)?))
        };
        Ok(DeviceTree { gate, variables, output, given: 0, rows })
    }
}

impl<B: StarkBackend<P = CircleStark>> Layers<QM31> for Device<'_, B> {
    type Error = GkrError;
    type Tree = DeviceTree<B>;
    type Eq = Eq<B>;
    type Nodes<'a>
        = DeviceNodes<'a, B>
    where
        Self: 'a;

    fn output(&self, tree: &DeviceTree<B>) -> Result<Vec<QM31>, GkrError> {
        Ok(tree.output.clone())
    }

    fn eq(&self, point: &[QM31]) -> Result<Eq<B>, GkrError> {
        Ok(Eq::new(self.on, point)?)
    }

    fn nodes<'a>(
        &'a self,
        tree: &mut DeviceTree<B>,
        eq: &'a Eq<B>,
        lambda: QM31,
    ) -> Result<DeviceNodes<'a, B>, GkrError> {
        let (layer, gate) = (tree.given, tree.gate);
        tree.given += 1;
        let rows = match &mut tree.rows {
            TreeRows::Host(host) => return Ok(DeviceNodes::Few(host.nodes(&eq.host, lambda))),
            TreeRows::Device(rows) => Rc::clone(rows),
        };
        let values = Multilinear::layer((*rows).as_ref(), layer as u32);
        if layer <= LOG_FEW {
            let columns = downloaded(self.on, gate, values)?;
            return Ok(DeviceNodes::Few(HostNodes::new(gate, columns, &eq.host, QM31::ONE, lambda)));
        }
        if tree.given == tree.variables {
            // Nobody asks for another.
            tree.rows = TreeRows::Host(HostTree::new(gate, vec![vec![QM31::ONE]; gate.columns()]));
        }
        let Some(program) = &self.sums[usize::from(gate == Gate::LogUp)] else {
            unreachable!("the gates of all trees have programs")
        };
        let children = Children::Layer(rows, layer as u32);
        Ok(DeviceNodes::Many(Many {
            on: self.on,
            observer: self.observer,
            program,
            gate,
            children,
            eq,
            factor: QM31::ONE,
            lambda,
        }))
    }
}
