//! The largest degree that the composition can have.
//!
//! A main or auxiliary column has degree up to `n - 1`, a periodic column of length L up to `n - n/L` (a polynomial of
//! degree `L - 1` in `x^(n/L)`). Transition t divides by its zerofier: `- n/pi + e`, and `+ n/q` with an exemptions
//! period.

use alloc::format;
use alloc::vec::Vec;

use gpu_hal::Protocol;
use gpu_hal::ir::NodeOp;

use crate::{AirError, GroupRole, RecordedAir};

/// Refuses an AIR whose constraints may exceed its parts: a composition cut at `P n` coefficients would not be the
/// composition, and no proof would verify.
pub(crate) fn check<P: Protocol>(air: &RecordedAir<P>) -> Result<(), AirError> {
    let n = air.trace_length() as u128;
    let parts = air.layout().composition_parts;
    let bound = n.saturating_mul(parts as u128);
    for (index, degree) in output_degrees(air).into_iter().enumerate() {
        // Degrees of numerator and denominator; a difference below zero is a quotient that vanishes or a pole, never
        // large.
        let (more, less) = match air.transitions().get(index) {
            Some(rows) => {
                let exempted = rows.exempted().map_or(0, |(q, _)| n / q as u128);
                (rows.end_exemptions() as u128 + exempted, n / rows.period() as u128)
            }
            None => (0, 1),
        };
        let degree = degree.saturating_add(more).saturating_sub(less);
        if degree >= bound {
            let (kind, number) = air.constraint(index);
            return Err(AirError::Degree { constraint: format!("{kind} {number}"), degree, parts, bound });
        }
    }
    Ok(())
}

fn output_degrees<P: Protocol>(air: &RecordedAir<P>) -> Vec<u128> {
    let n = air.trace_length() as u128;
    let mut degrees: Vec<u128> = Vec::with_capacity(air.constraints().nodes().len());
    for node in air.constraints().nodes() {
        let degree = match node.op {
            NodeOp::ConstBase(_) | NodeOp::ConstExt(_) | NodeOp::Param(_) => 0,
            NodeOp::Load { group, .. } => match air.groups()[group as usize] {
                GroupRole::Periodic { log_period } => n - (n >> log_period),
                GroupRole::Main | GroupRole::Aux | GroupRole::Exemptions => n - 1,
            },
            NodeOp::Add(a, b) | NodeOp::Sub(a, b) => degrees[a.index()].max(degrees[b.index()]),
            NodeOp::Mul(a, b) => degrees[a.index()].saturating_add(degrees[b.index()]),
            NodeOp::Neg(a) => degrees[a.index()],
        };
        degrees.push(degree);
    }
    air.constraints().outputs().iter().map(|output| degrees[output.index()]).collect()
}
