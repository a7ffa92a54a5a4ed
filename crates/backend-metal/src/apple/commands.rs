//! A command buffer and its encoder.

use std::ffi::c_void;
use std::ptr::NonNull;

use objc2::rc::autoreleasepool;
use objc2_foundation::NSRange;
use objc2_metal::{
    MTLBlitCommandEncoder, MTLCommandBuffer, MTLCommandBufferStatus, MTLCommandEncoder, MTLComputeCommandEncoder,
    MTLEvent, MTLSize,
};

use super::objects::{AppleBuffer, AppleLayer, ApplePipeline, Object};
use crate::layer::{Commands, Queue, Status};

/// The encoder that is open.
enum Encoder {
    None,
    Compute(Object<dyn MTLComputeCommandEncoder>),
    Blit(Object<dyn MTLBlitCommandEncoder>),
}

/// A command buffer of Metal.
pub struct AppleCommands {
    commands: Object<dyn MTLCommandBuffer>,
    encoder: Encoder,
    events: [Object<dyn MTLEvent>; 2],
    /// Metal gave no encoder, so that commands are missing: it is not committed.
    is_broken: bool,
}

// SAFETY: one thread at a time encodes, under the lock of the queues; calls after the commit only read the state of the
// command buffer, which Metal writes before it says that the buffer is done.
unsafe impl Send for AppleCommands {}
// SAFETY: as above.
unsafe impl Sync for AppleCommands {}

impl AppleCommands {
    pub(super) fn new(commands: Object<dyn MTLCommandBuffer>, events: [Object<dyn MTLEvent>; 2]) -> Self {
        Self { commands, encoder: Encoder::None, events, is_broken: false }
    }

    /// Calls `encode` with the encoder of kernels.
    fn compute(&mut self, encode: impl FnOnce(&Object<dyn MTLComputeCommandEncoder>)) {
        match &self.encoder {
            Encoder::Compute(encoder) => encode(encoder),
            _ => self.is_broken = true,
        }
    }

    /// Calls `encode` with the encoder of copies.
    fn blit(&mut self, encode: impl FnOnce(&Object<dyn MTLBlitCommandEncoder>)) {
        match &self.encoder {
            Encoder::Blit(encoder) => encode(encoder),
            _ => self.is_broken = true,
        }
    }
}

impl Commands for AppleCommands {
    type Layer = AppleLayer;

    /// `computeCommandEncoder`: its dispatches run one after the other, each after the writes of the earlier ones.
    fn begin_compute(&mut self) {
        let encoder = autoreleasepool(|_| self.commands.computeCommandEncoder());
        self.encoder = encoder.map_or(Encoder::None, Encoder::Compute);
    }

    fn begin_blit(&mut self) {
        let encoder = autoreleasepool(|_| self.commands.blitCommandEncoder());
        self.encoder = encoder.map_or(Encoder::None, Encoder::Blit);
    }

    /// `endEncoding`: before the next encoder, and before the encoder is released.
    fn end(&mut self) {
        match std::mem::replace(&mut self.encoder, Encoder::None) {
            Encoder::None => {}
            Encoder::Compute(encoder) => encoder.endEncoding(),
            Encoder::Blit(encoder) => encoder.endEncoding(),
        }
    }

    fn set_pipeline(&mut self, pipeline: &ApplePipeline) {
        self.compute(|encoder| encoder.setComputePipelineState(&pipeline.0));
    }

    fn set_buffer(&mut self, index: usize, buffer: &AppleBuffer, offset: u64) {
        // SAFETY: the encoder above checks the offset against the buffer; there are 31 indices, it uses no more.
        self.compute(|encoder| unsafe { encoder.setBuffer_offset_atIndex(Some(&buffer.0), offset as usize, index) });
    }

    /// `setBytes:length:atIndex:`: copies the bytes, at most 4 KiB, before it returns.
    fn set_bytes(&mut self, index: usize, bytes: &[u8]) {
        let start = NonNull::from(bytes).cast::<c_void>();
        // SAFETY: the bytes are there for the call; the index is one of 31.
        self.compute(|encoder| unsafe { encoder.setBytes_length_atIndex(start, bytes.len(), index) });
    }

    fn dispatch(&mut self, grid: [u32; 3], threads: u32) {
        let [width, height, depth] = grid.map(|count| count as usize);
        let groups = MTLSize { width, height, depth };
        let group = MTLSize { width: threads as usize, height: 1, depth: 1 };
        self.compute(|encoder| encoder.dispatchThreadgroups_threadsPerThreadgroup(groups, group));
    }

    /// `copyFromBuffer:...`: offsets and size in multiples of 4.
    fn copy(&mut self, from: (&AppleBuffer, u64), to: (&AppleBuffer, u64), bytes: u64) {
        let (source, target) = (&from.0.0, &to.0.0);
        let (source_offset, target_offset, size) = (from.1 as usize, to.1 as usize, bytes as usize);
        // SAFETY: the encoder above checks both ranges against the buffers.
        self.blit(|encoder| unsafe {
            encoder.copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size(
                source,
                source_offset,
                target,
                target_offset,
                size,
            );
        });
    }

    /// `fillBuffer:range:value:`: a range in multiples of 4.
    fn fill(&mut self, buffer: &AppleBuffer, offset: u64, bytes: u64, value: u8) {
        let range = NSRange::new(offset as usize, bytes as usize);
        self.blit(|encoder| encoder.fillBuffer_range_value(&buffer.0, range, value));
    }

    /// `encodeSignalEvent:value:`: once the commands before are done.
    fn signal(&mut self, event: Queue, value: u64) {
        self.commands.encodeSignalEvent_value(&self.events[event as usize], value);
    }

    /// `encodeWaitForEvent:value:`: until the event has that value or a larger one.
    fn wait(&mut self, event: Queue, value: u64) {
        self.commands.encodeWaitForEvent_value(&self.events[event as usize], value);
    }

    /// `commit`: a command buffer runs after earlier ones of its queue.
    fn commit(&mut self) {
        if !self.is_broken {
            self.commands.commit();
        }
    }

    fn status(&self) -> Status {
        if self.is_broken {
            return Status::Failed { code: 1, detail: "Metal gave no encoder".into() };
        }
        match self.commands.status() {
            MTLCommandBufferStatus::Completed => Status::Done,
            MTLCommandBufferStatus::Error => autoreleasepool(|_| match self.commands.error() {
                // The domain is MTLCommandBufferErrorDomain.
                Some(error) => {
                    Status::Failed { code: error.code() as i64, detail: error.localizedDescription().to_string() }
                }
                None => Status::Failed { code: 0, detail: "no description".into() },
            }),
            _ => Status::Running,
        }
    }

    /// `GPUEndTime`: in seconds, once it is done.
    fn end_time(&self) -> f64 {
        self.commands.GPUEndTime()
    }
}

impl Drop for AppleCommands {
    /// An encoder that is released before it has ended is an error of Metal's.
    fn drop(&mut self) {
        self.end();
    }
}
