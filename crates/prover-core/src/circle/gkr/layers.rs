//! The layers of trees on a device.

use std::rc::Rc;

use circle_proof::gkr::columns_of_gate;
use field::{Field, QM31};
use gpu_hal::{CircleStark, HalError, Multilinear, StarkBackend, Table, TableRef, TreeMapArgs};
use sumcheck::gkr::{Gate, HostTree, Instance, Kind, Layers};

use super::GkrError;
use super::eq::{Eq, LOG_FEW};
use super::nodes::{Children, DeviceNodes, Many, downloaded};
use super::programs::{TreePrograms, children_columns, sums};
use crate::observer::Observer;

/// The layers of a tree that were not given yet.
pub(super) struct DeviceTree<B: StarkBackend> {
    gate: Gate,
    variables: usize,
    /// Layers that were given.
    given: usize,
    /// Layers of few nodes.
    host: HostTree<QM31>,
    /// Row `2^l + i` has the children of node `i` of layer `l`, if there are layers of many.
    rows: Option<Rc<Table<B::T>>>,
}

/// Whether a tree has a layer of many nodes, which a device makes.
pub(super) const fn has_many(instance: &Instance) -> bool {
    // Layer `variables - 1` is the last that has children.
    instance.variables > LOG_FEW + 1
}

/// A device with the programs of gates.
pub(super) struct Device<'b, B: StarkBackend> {
    pub(super) on: &'b B,
    observer: &'b dyn Observer<QM31>,
    /// The programs of the gates of which trees are on the device, and of the kinds.
    sums: [Option<B::Program>; 2],
    trees: Vec<Option<TreePrograms<B>>>,
}

impl<'b, B: StarkBackend<P = CircleStark>> Device<'b, B> {
    /// For these trees.
    pub(super) fn new(on: &'b B, instances: &[Instance], observer: &'b dyn Observer<QM31>) -> Result<Self, HalError> {
        let kinds: Vec<Kind> = instances.iter().filter(|of| has_many(of)).map(|of| of.kind).collect();
        let of_gate = |gate: Gate| -> Result<Option<B::Program>, HalError> {
            kinds.iter().any(|kind| kind.gate() == gate).then(|| sums(on, gate)).transpose()
        };
        let mut trees = Vec::with_capacity(Kind::ALL.len());
        for kind in Kind::ALL {
            trees.push(if kinds.contains(&kind) { Some(TreePrograms::new(on, kind)?) } else { None });
        }
        Ok(Self { on, observer, sums: [of_gate(Gate::GrandProduct)?, of_gate(Gate::LogUp)?], trees })
    }

    /// The layers above a table of columns. Those of few nodes are made on the host, of the lowest of them.
    pub(super) fn tree(&self, kind: Kind, columns: TableRef<'_, B::T>) -> Result<DeviceTree<B>, HalError> {
        let (gate, variables) = (kind.gate(), columns.log_height as usize);
        if !has_many(&Instance { kind, variables }) {
            let base = self.on.download(columns, 0..columns.height())?;
            let base: Vec<_> = base.chunks_exact(columns.height()).collect();
            let host = HostTree::new(gate, columns_of_gate(kind, &base));
            return Ok(DeviceTree { gate, variables, given: 0, host, rows: None });
        }
        let Some(programs) = &self.trees[kind as usize] else { unreachable!("every kind that is used") };
        let table = self.on.tree_map(&TreeMapArgs {
            leaf: &programs.leaf,
            node: &programs.node,
            columns: &[columns],
            log_height: columns.log_height + 1,
            width: children_columns(gate),
        })?;
        let few = downloaded(self.on, gate, Multilinear::layer(table.as_ref(), LOG_FEW as u32))?;
        Ok(DeviceTree { gate, variables, given: 0, host: HostTree::new(gate, few), rows: Some(Rc::new(table)) })
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
        Ok(tree.host.output().to_vec())
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
        let rows = match &tree.rows {
            Some(rows) if layer > LOG_FEW => Rc::clone(rows),
            _ => return Ok(DeviceNodes::Few(tree.host.nodes(&eq.host, lambda))),
        };
        if tree.given == tree.variables {
            // Nobody asks for another.
            tree.rows = None;
        }
        let Some(program) = &self.sums[usize::from(gate == Gate::LogUp)] else {
            unreachable!("the gates of all trees have programs")
        };
        Ok(DeviceNodes::Many(Many {
            on: self.on,
            observer: self.observer,
            program,
            gate,
            children: Children::Layer(rows, layer as u32),
            challenge: None,
            eq,
            factor: QM31::ONE,
            lambda,
        }))
    }
}
