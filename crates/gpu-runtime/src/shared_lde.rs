//! The extension of one table by several devices of a kind ([`gpu_hal::PlacementOperations::lde_shared`]).
//!
//! All want the same coefficients, and each evaluates them on a domain of its own. So device `d` of `D` interpolates
//! the `d`-th part of the columns and hands the coefficients to the others, in pieces and beside the work: while a
//! piece is on its way the next is interpolated, and a device evaluates its own columns before the ones that it is
//! handed.

use std::ops::Range;

use gpu_hal::{Basis, HalError, Result};

use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Call, from_element};
use crate::device::KernelDevice;
use crate::elements::words;
use crate::pool::Block;
use crate::protocol::GpuProtocol;

/// Log2 of the rows of the lowest table that is shared: for a lower one a launch takes as long as it saves.
const LOG_LEAST_ROWS: u32 = 12;
/// The fewest columns that are shared: with fewer the last piece, which nothing hides, is most of them.
const LEAST_COLUMNS: usize = 8;
/// In how many pieces a device hands over its columns, at most.
const PIECES: usize = 4;

/// Whether to share is better than that each device does all.
pub(crate) fn is_shared(width: usize, log_height: u32) -> bool {
    width >= LEAST_COLUMNS && log_height >= LOG_LEAST_ROWS
}

/// A device's part.
struct Side<'a, D: KernelDevice, P: GpuProtocol> {
    call: Call<'a, D, P>,
    table: Table<'a, D>,
    to: P::Domain,
    extended: NewTable<D>,
    coefficients: Block<D::Memory>,
    /// When the memory for coefficients is this call's.
    free: D::Event,
}

/// Columns that a device has interpolated, and when each of the others has their coefficients.
struct Piece<E> {
    columns: Range<usize>,
    arrivals: Vec<Option<E>>,
}

/// Extends values, as many tables and domains as calls, by more than one device.
pub(crate) fn lde_shared<'a, D: KernelDevice, P: GpuProtocol>(
    calls: &[Call<'a, D, P>],
    tables: &[Table<'a, D>],
    from: Basis<P::Domain>,
    to: &[P::Domain],
) -> Result<Vec<NewTable<D>>, (usize, HalError)> {
    let begin = |device: usize| begin(calls[device], tables[device], to[device]).map_err(|error| (device, error));
    let sides = (0..calls.len()).map(begin).collect::<Result<Vec<_>, _>>()?;
    let enqueued = exchange(&sides, from);
    if enqueued.is_err() {
        // Copies may be on their way, from and to memory that is about to be used again. A lost device is reported at
        // its next call.
        sides.iter().for_each(|side| drop(side.call.runtime.device.synchronize()));
    }
    enqueued.map(|()| sides.into_iter().map(|side| side.extended).collect())
}

fn begin<'a, D: KernelDevice, P: GpuProtocol>(
    call: Call<'a, D, P>,
    table: Table<'a, D>,
    to: P::Domain,
) -> Result<Side<'a, D, P>> {
    let extended = new_table(call, table.width, gpu_hal::Domain::log_size(&to))?;
    let coefficients = call.alloc_elements((table.width as u64) << table.log_height)?;
    let free = call.runtime.device.record()?;
    Ok(Side { call, table, to, extended, coefficients, free })
}

/// The columns that are device `device`'s of `count`.
pub(crate) fn part(width: usize, device: usize, count: usize) -> Range<usize> {
    width * device / count..width * (device + 1) / count
}

/// The columns that device `device` of `count` interpolates, in pieces.
fn pieces(width: usize, device: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let part = part(width, device, count);
    let (step, end) = (part.len().div_ceil(PIECES).max(1), part.end);
    part.step_by(step).map(move |start| start..end.min(start + step))
}

/// Interpolates, hands over and evaluates. The error has the device's number.
fn exchange<D: KernelDevice, P: GpuProtocol>(
    sides: &[Side<'_, D, P>],
    from: Basis<P::Domain>,
) -> Result<(), (usize, HalError)> {
    let count = sides.len();
    let Some(first) = sides.first() else { return Ok(()) };
    let (width, log_height) = (first.table.width, first.table.log_height);
    let mut queues: Vec<_> = (0..count).map(|device| pieces(width, device, count)).collect();
    let mut handed: Vec<Vec<Piece<D::Event>>> = (0..count).map(|_| Vec::new()).collect();
    // Piece after piece, so that no device waits while the others get their work.
    loop {
        let mut is_done = true;
        for device in 0..count {
            let Some(columns) = queues[device].next() else { continue };
            is_done = false;
            let arrivals = hand_over(sides, device, &columns, from).map_err(|error| (device, error))?;
            handed[device].push(Piece { columns, arrivals });
        }
        if is_done {
            break;
        }
    }
    for (device, side) in sides.iter().enumerate() {
        let on = &side.call.runtime.device;
        // Its own columns first.
        for owner in (device..count).chain(0..device) {
            for Piece { columns, arrivals } in &handed[owner] {
                let evaluate = || {
                    arrivals[device].as_ref().map_or(Ok(()), |moment| on.wait(moment))?;
                    let coefficients = from_element::<P, _>(&side.coefficients, (columns.start as u64) << log_height);
                    let bases = (from, side.to);
                    P::evaluate(side.call, (coefficients, log_height), columns.clone(), bases, &side.extended)
                };
                evaluate().map_err(|error| (device, error))?;
            }
        }
    }
    // The memory is used again after it was read.
    for (device, (side, pieces)) in sides.iter().zip(&handed).enumerate() {
        let on = &side.call.runtime.device;
        let mut sent = pieces.iter().flat_map(|piece| piece.arrivals.iter().flatten());
        sent.try_for_each(|moment| on.wait(moment)).map_err(|error| (device, error))?;
    }
    Ok(())
}

/// Interpolates columns on a device and hands the coefficients to the others: when each of them has them.
fn hand_over<D: KernelDevice, P: GpuProtocol>(
    sides: &[Side<'_, D, P>],
    device: usize,
    columns: &Range<usize>,
    from: Basis<P::Domain>,
) -> Result<Vec<Option<D::Event>>> {
    let side = &sides[device];
    let (call, log_height) = (side.call, side.table.log_height);
    let first = (columns.start as u64) << log_height;
    let coefficients = from_element::<P, _>(&side.coefficients, first);
    P::interpolate(call, side.table, columns.clone(), from, coefficients, &side.extended)?;
    let ready = call.runtime.device.record()?;
    let bytes = 8 * words::<P>((columns.len() as u64) << log_height);
    let hand = |other: usize| {
        let peer = &sides[other];
        if other == device {
            return Ok(None);
        }
        let target = from_element::<P, _>(&peer.coefficients, first);
        let after = [&ready, &peer.free];
        call.copy_peer_beside(coefficients, &peer.call.runtime.device, target, bytes, after).map(Some)
    };
    (0..sides.len()).map(hand).collect()
}
