//! The devices that a device writes to by itself, over NVLink or PCIe.
//!
//! The driver copies between any two devices ([`sys::cuMemcpyPeerAsync`]). It goes through the host's memory unless the
//! device that copies may access the other's memory, which is asked for here, before the first copy to each peer.
//! Access to a context's memory and access to a pool's are two things, and a queue has both kinds of memory.

use std::sync::PoisonError;

use cudarc::driver::sys::{self, CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemLocationType, CUresult};
use gpu_hal::Result;

use crate::queue::Queue;

impl Queue {
    /// Whether copies from here to a peer need not go through the host. The first call for a peer lets this device
    /// access its memory.
    ///
    /// # Errors
    /// If this device is lost.
    pub(crate) fn reaches(&self, peer: &Self) -> Result<bool> {
        if self.device == peer.device {
            return Ok(true);
        }
        self.enter()?;
        // A map stays whole when a thread panics: every change is one call.
        let mut known = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(*known.entry(peer.number).or_insert_with(|| self.allow(peer)))
    }

    /// Lets this device access a peer's memory; the context is current. If the driver refuses, copies go through the
    /// host.
    fn allow(&self, peer: &Self) -> bool {
        let mut can = 0;
        // SAFETY: both devices are the driver's; it writes one integer.
        let code = unsafe { sys::cuDeviceCanAccessPeer(&mut can, self.device, peer.device) };
        if code != CUresult::CUDA_SUCCESS || can == 0 {
            return false;
        }
        // SAFETY: the context of this queue is current, and the peer's lives as long as the peer.
        let code = unsafe { sys::cuCtxEnablePeerAccess(peer.context(), 0) };
        let is_allowed = matches!(code, CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        if !is_allowed || peer.pool().is_null() {
            return is_allowed;
        }
        let access = CUmemAccessDesc {
            location: CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: self.device },
            flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: the pool lives as long as the peer; the driver reads one description.
        let code = unsafe { sys::cuMemPoolSetAccess(peer.pool(), &access, 1) };
        code == CUresult::CUDA_SUCCESS
    }
}
