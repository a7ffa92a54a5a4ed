//! A library that misbehaves: the reference, which panics where it shall split a table, and which waits in `sync` until
//! it is stopped.

use std::thread;
use std::time::{Duration, Instant};

use backend_library::OpenOptions;
use backend_reference::{CpuReference, ReferenceProtocol};
use gpu_hal::decorate::{Call, Hook, Hooked};
use gpu_hal::op::Outcome;
use gpu_hal::{CancelToken, ErrorKind, HalError, Operation, Result, StarkBackend};

struct Wayward;

impl<B: StarkBackend> Hook<B> for Wayward {
    fn around<R>(
        &self,
        _inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        _outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        match call.operation {
            Operation::Split => panic!("{} parts are too many", 2),
            Operation::Sync => {
                let (stop, begin) = (CancelToken::here(), Instant::now());
                while !stop.is_stopped() {
                    if begin.elapsed() > Duration::from_secs(20) {
                        return Err(HalError::new(ErrorKind::Backend, "sync", "nobody has stopped it"));
                    }
                    thread::sleep(Duration::from_millis(1));
                }
                run()
            }
            _ => run(),
        }
    }
}

fn open<P: ReferenceProtocol>(options: &OpenOptions) -> Result<Hooked<CpuReference<P>, Wayward>> {
    match options.device {
        None | Some(0) => Ok(Hooked::with_hook(CpuReference::new(), Wayward)),
        Some(1) => panic!("device 1 is haunted"),
        Some(number) => {
            Err(HalError::new(ErrorKind::Unavailable, "open", format!("there is no device {number}: there are 2")))
        }
    }
}

fn names() -> Vec<String> {
    ["wayward", "haunted"].map(str::to_owned).into()
}

backend_library::export!(circle: open, devices: names);
