//! Long computations, each on a thread of its own: one that never ends holds up neither the others nor the end of the
//! program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

/// Threads that have nothing to do: jobs of milliseconds are not to pay for new ones. There are as many as there were
/// computations at a time.
static IDLE: Mutex<Vec<Sender<Work>>> = Mutex::new(Vec::new());

/// Data that a panicked thread had locked stays usable: nothing here is changed halfway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn idle() -> MutexGuard<'static, Vec<Sender<Work>>> {
    lock(&IDLE)
}

fn serve(mut work: Work, (sender, receiver): (Sender<Work>, Receiver<Work>)) {
    loop {
        work();
        idle().push(sender.clone());
        match receiver.recv() {
            Ok(next) => work = next,
            Err(_) => return,
        }
    }
}

fn start(work: Work) -> std::io::Result<()> {
    let sender = idle().pop();
    let work = match sender {
        Some(sender) => match sender.send(work) {
            Ok(()) => return Ok(()),
            Err(back) => back.0,
        },
        None => work,
    };
    std::thread::Builder::new().name("farm".into()).spawn(move || serve(work, channel()))?;
    Ok(())
}

/// Runs it. The error of a panic has its message.
pub(crate) fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, String>> + Send + 'static {
    let (tell, told) = oneshot::channel();
    let started = start(Box::new(move || {
        let done = catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            format!("it panicked: {text}")
        });
        // The waiting task may be gone.
        drop(tell.send(done));
    }));
    async move {
        started.map_err(|error| format!("no thread: {error}"))?;
        told.await.unwrap_or_else(|_| Err("its thread ended".into()))
    }
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn a_panic_is_an_error_with_its_text() {
        assert_eq!(super::run(|| 7).await, Ok(7));
        assert_eq!(super::run(|| -> u8 { panic!("no {}", "way") }).await, Err("it panicked: no way".into()));
        assert_eq!(super::run(|| 8).await, Ok(8));
    }
}
