//! Long computations, each on a thread of its own: one that never ends holds up neither the others nor the end of the program.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

/// Runs it. The error says that it panicked, and with what.
pub(crate) fn run<T: Send + 'static>(
    name: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, String>> + Send + 'static {
    let (tell, told) = oneshot::channel();
    let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            format!("it panicked: {text}")
        });
        // Whoever waited may be gone.
        drop(tell.send(done));
    });
    async move {
        thread.map_err(|error| format!("no thread: {error}"))?;
        told.await.unwrap_or_else(|_| Err("its thread ended".into()))
    }
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn a_panic_is_an_error_with_its_text() {
        assert_eq!(super::run("test", || 7).await, Ok(7));
        assert_eq!(super::run("test", || -> u8 { panic!("no {}", "way") }).await, Err("it panicked: no way".into()));
    }
}
