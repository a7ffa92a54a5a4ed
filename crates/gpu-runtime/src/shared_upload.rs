//! Columns of the host, extended by several devices of a kind ([`gpu_hal::PlacementOperations::upload_lde_shared`]).
//!
//! All want the same rows, and a link from the host is a tenth as fast as one between devices. So device `d` of `D` is
//! sent the `d`-th part of the columns and hands their rows to the others, piece by piece and beside its work. Each
//! extends a piece when it has it: it enqueues its own while they are sent, and with each one those that it was handed
//! up to then.

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use gpu_hal::{Basis, CancelToken, Domain, ErrorKind, HalError, Result};

use crate::buffer::{NewTable, new_table};
use crate::call::{Call, from_element};
use crate::columns::{batch_columns, refused, workspace};
use crate::device::KernelDevice;
use crate::elements::words;
use crate::host_bytes::HostBytes;
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::shared_lde::part;

/// Log2 of the rows of the lowest table that is shared: a lower one is there as soon as it is enqueued.
const LOG_LEAST_ROWS: u32 = 12;

/// Whether to share is better than that each device is sent all.
pub(crate) fn is_shared(width: usize, log_height: u32) -> bool {
    width > 1 && log_height >= LOG_LEAST_ROWS
}

/// The tables of a device: rows, and their extension.
type Tables<D> = (NewTable<D>, NewTable<D>);

/// Columns of which a device is handed the rows, and when it has them.
type Handed<E> = (Range<usize>, Arc<E>);

/// A device.
struct Side<'a, D: KernelDevice, P: GpuProtocol> {
    call: Call<'a, D, P>,
    bases: (Basis<P::Domain>, P::Domain),
    tables: Tables<D>,
    workspace: Option<Block<D::Memory>>,
    /// When the memory for rows is this call's.
    free: D::Event,
}

/// Uploads and extends columns, on as many domains as calls, by more than one device. Columns are whole words.
pub(crate) fn upload_lde_shared<D: KernelDevice, P: GpuProtocol>(
    calls: &[Call<'_, D, P>],
    (columns, log_height): (&[&[P::Base]], u32),
    from: Basis<P::Domain>,
    to: &[P::Domain],
) -> Result<Vec<Tables<D>>, (usize, HalError)> {
    let begin = |device: usize| {
        begin(calls[device], columns.len(), log_height, (from, to[device])).map_err(|error| (device, error))
    };
    let sides = (0..calls.len()).map(begin).collect::<Result<Vec<_>, _>>()?;
    let (senders, receivers): (Vec<_>, Vec<_>) = sides.iter().map(|_| channel()).unzip();
    let stop = &CancelToken::here();
    // Each device has a thread: it copies to where the link takes data from.
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let (sides, mut threads) = (&sides, Vec::new());
        for (device, receiver) in receivers.into_iter().enumerate() {
            let senders = senders.clone();
            let run = move || stop.over(|| send(sides, device, columns, senders, &receiver));
            threads
                .push(std::thread::Builder::new().name(format!("polystark-upload-{device}")).spawn_scoped(scope, run));
        }
        // Receivers wait for as long as there is a sender.
        drop(senders);
        let ended = |error: String| Err(HalError::new(ErrorKind::Backend, sides[0].call.op, error));
        let join = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, _>>| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| ended("a thread that uploads has panicked".to_owned())),
            Err(error) => ended(format!("no thread to upload: {error}")),
        };
        threads.into_iter().map(join).collect()
    });
    let failed = results.into_iter().enumerate().find_map(|(device, result)| Some((device, result.err()?)));
    if let Some(failed) = failed {
        // Copies may be on their way, from and to memory that is about to be used again. A lost device is reported at
        // its next call.
        sides.iter().for_each(|side| drop(side.call.runtime.device.synchronize()));
        return Err(failed);
    }
    Ok(sides.into_iter().map(|side| side.tables).collect())
}

fn begin<'a, D: KernelDevice, P: GpuProtocol>(
    call: Call<'a, D, P>,
    width: usize,
    log_height: u32,
    bases: (Basis<P::Domain>, P::Domain),
) -> Result<Side<'a, D, P>> {
    let tables = (new_table(call, width, log_height)?, new_table(call, width, bases.1.log_size())?);
    let batch = batch_columns::<P>(&call.runtime.device, width, log_height);
    let workspace = workspace(call, batch, log_height, &bases.0)?;
    Ok(Side { call, bases, tables, workspace, free: call.runtime.device.record()? })
}

/// Sends a device its part of the columns, and enqueues all of its work.
fn send<D: KernelDevice, P: GpuProtocol>(
    sides: &[Side<'_, D, P>],
    device: usize,
    columns: &[&[P::Base]],
    senders: Vec<Sender<Handed<D::Event>>>,
    receiver: &Receiver<Handed<D::Event>>,
) -> Result<()> {
    let side = &sides[device];
    let (call, log_height) = (side.call, side.tables.0.log_height);
    let on = &call.runtime.device;
    let batch = batch_columns::<P>(on, columns.len(), log_height);
    let part = part(columns.len(), device, sides.len());
    let extend = |columns: Range<usize>| {
        let (rows, extended) = &side.tables;
        P::extend(call, rows.as_ref(), columns, side.bases, side.workspace.as_ref(), extended)
    };
    let extend_handed = |(columns, arrival): Handed<D::Event>| {
        on.wait(&arrival)?;
        extend(columns)
    };
    let mut sent = Vec::new();
    let sends = |number: usize| {
        let piece = part.start + number * batch..part.end.min(part.start + (number + 1) * batch);
        let ready = on.record()?;
        for (other, sender) in senders.iter().enumerate().filter(|(other, _)| *other != device) {
            let arrival = Arc::new(hand_over(side, &sides[other], &piece, &ready)?);
            sent.push(arrival.clone());
            // One that does not listen any more has failed, and says so.
            let _ = sender.send((piece.clone(), arrival));
        }
        extend(piece)?;
        receiver.try_iter().try_for_each(extend_handed)
    };
    let bytes: Vec<&[u8]> = columns[part.clone()].iter().map(|column| bytemuck::cast_slice(column)).collect();
    let to = (&side.tables.0.data.block, 8 * words::<P>((part.start as u64) << log_height));
    // Some devices are sent none of fewer columns than devices.
    if !part.is_empty() && !call.upload_elements(to, HostBytes::new(&bytes), batch << log_height, sends)? {
        // The first of all columns is named, whichever device was sent it.
        return refused(call, columns);
    }
    drop(senders);
    receiver.iter().try_for_each(extend_handed)?;
    // The memory is used again after it was read.
    sent.iter().try_for_each(|moment| on.wait(moment))
}

/// Hands rows that a device has to another, which has them at that moment.
fn hand_over<D: KernelDevice, P: GpuProtocol>(
    side: &Side<'_, D, P>,
    peer: &Side<'_, D, P>,
    columns: &Range<usize>,
    ready: &D::Event,
) -> Result<D::Event> {
    let log_height = side.tables.0.log_height;
    let [from, to] =
        [side, peer].map(|side| from_element::<P, _>(&side.tables.0.data.block, (columns.start as u64) << log_height));
    let bytes = 8 * words::<P>((columns.len() as u64) << log_height);
    side.call.copy_peer_beside(from, &peer.call.runtime.device, to, bytes, [ready, &peer.free])
}
