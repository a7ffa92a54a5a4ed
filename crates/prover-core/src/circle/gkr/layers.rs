//! The layers of trees on a device.

use field::{Field, M31, QM31};
use gpu_hal::{CircleStark, Columns, HalError, StarkBackend, Table, TableRef, TreeMapArgs};
use sumcheck::gkr::{Gate, HostNodes, HostTree, Kind, Layers};

use super::eq::{Eq, LOG_FEW};
use super::nodes::{DeviceNodes, Many, downloaded};
use super::programs::{GatePrograms, TreePrograms, children_columns, eq};

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
    Device(Table<B::T>),
    Host(HostTree<QM31>),
}

/// A device with the programs of trees.
pub(super) struct Device<'b, B: StarkBackend> {
    pub(super) on: &'b B,
    gates: [GatePrograms<B>; 2],
    eq: B::Program,
    /// For each number of variables above [`LOG_FEW`] a column that is 0 in its lower half and 1 in its upper.
    halves: Vec<Table<B::T>>,
}

impl<'b, B: StarkBackend<P = CircleStark>> Device<'b, B> {
    /// For trees of so many variables.
    pub(super) fn new(on: &'b B, variables: usize) -> Result<Self, HalError> {
        let gates = [GatePrograms::new(on, Gate::GrandProduct)?, GatePrograms::new(on, Gate::LogUp)?];
        // The nodes of the largest layer have a variable less than its columns, and `eq` one less than these.
        let halves = LOG_FEW + 1..variables.saturating_sub(1);
        let upload = |log: usize| {
            let make = |first: usize, values: &mut [M31]| {
                let is_high = |at: usize| if (first + at) >> (log - 1) == 0 { M31::ZERO } else { M31::ONE };
                values.iter_mut().enumerate().for_each(|(at, value)| *value = is_high(at));
            };
            on.upload_made(&make, 1, log as u32)
        };
        Ok(Self { on, gates, eq: eq(on)?, halves: halves.map(upload).collect::<Result<_, _>>()? })
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
        let root = downloaded(self.on, gate, table.as_ref(), 1..2)?;
        let child = |at: usize| root.iter().map(|column| column[at]).collect::<Vec<_>>();
        let output = gate.node(&child(0), &child(1));
        let rows = if variables > LOG_FEW + 1 {
            TreeRows::Device(table)
        } else {
            let height = table.height() / 2;
            TreeRows::Host(HostTree::new(gate, downloaded(self.on, gate, table.as_ref(), height / 2..height)?))
        };
        Ok(DeviceTree { gate, variables, output, given: 0, rows })
    }

    /// The children of a layer of many nodes, cut into halves.
    fn halves(&self, gate: Gate, rows: Columns<&B::Buffer>, layer: usize) -> Result<Table<B::T>, HalError> {
        // Quarters of the first `2^(layer + 1)` rows: the layer is the last two.
        let quarters = self.on.split(rows, 4, layer as u32 - 1)?;
        let half = 2 * children_columns(gate);
        let picks: Vec<(usize, usize)> = (half..2 * half).map(|column| (0, column)).collect();
        self.on.select(&[quarters.as_ref()], &picks)
    }
}

impl<B: StarkBackend<P = CircleStark>> Layers<QM31> for Device<'_, B> {
    type Error = HalError;
    type Tree = DeviceTree<B>;
    type Eq = Eq<B>;
    type Nodes<'a>
        = DeviceNodes<'a, B>
    where
        Self: 'a;

    fn output(&self, tree: &DeviceTree<B>) -> Result<Vec<QM31>, HalError> {
        Ok(tree.output.clone())
    }

    fn eq(&self, point: &[QM31]) -> Result<Eq<B>, HalError> {
        Eq::new(self.on, &self.eq, &self.halves, point)
    }

    fn nodes<'a>(
        &'a self,
        tree: &mut DeviceTree<B>,
        eq: &'a Eq<B>,
        lambda: QM31,
    ) -> Result<DeviceNodes<'a, B>, HalError> {
        let (layer, gate) = (tree.given, tree.gate);
        tree.given += 1;
        let rows = match &mut tree.rows {
            TreeRows::Host(host) => return Ok(DeviceNodes::Few(host.nodes(&eq.host, lambda))),
            TreeRows::Device(rows) => rows.as_ref(),
        };
        if layer <= LOG_FEW {
            let columns = downloaded(self.on, gate, rows, 1 << layer..2 << layer)?;
            return Ok(DeviceNodes::Few(HostNodes::new(gate, columns, &eq.host, QM31::ONE, lambda)));
        }
        let halves = self.halves(gate, rows, layer)?;
        if tree.given == tree.variables {
            // Nobody asks for another.
            tree.rows = TreeRows::Host(HostTree::new(gate, vec![vec![QM31::ONE]; gate.columns()]));
        }
        let programs = &self.gates[usize::from(gate == Gate::LogUp)];
        Ok(DeviceNodes::Many(Many { on: self.on, programs, gate, halves, eq, factor: QM31::ONE, lambda }))
    }
}
