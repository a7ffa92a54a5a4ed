//! Lines about work that takes long, for users without a terminal to watch it on.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Writes a line from time to time until it is dropped.
pub(crate) struct Ticker {
    /// Hangs up to stop it.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// How often.
    pub(crate) const EVERY: Duration = Duration::from_secs(30);

    /// Writes the text of `line` to `out`, each time that so long has passed.
    pub(crate) fn new(
        every: Duration,
        mut out: impl Write + Send + 'static,
        line: impl Fn() -> String + Send + 'static,
    ) -> Self {
        let (stop, stopped) = channel();
        let tell = move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                // Nobody may be reading.
                let _ = writeln!(out, "polystark: {}", line()).and_then(|()| out.flush());
            }
        };
        // Without a thread the work goes on untold.
        let thread = std::thread::Builder::new().name("ticker".to_owned()).spawn(tell).ok();
        Self { stop: Some(stop), thread }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // It has finished, or it panicked and told that.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread::sleep;
    use std::time::Instant;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Lines {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap()
        }
    }

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_come_until_the_end() {
        let lines = Lines::default();
        let ticker = Ticker::new(Duration::from_millis(20), lines.clone(), || "45 %, main trace".to_owned());
        let patience = Instant::now() + Duration::from_secs(10);
        while lines.text().lines().count() < 2 && Instant::now() < patience {
            sleep(Duration::from_millis(5));
        }
        drop(ticker);
        let told = lines.text();
        assert!(told.lines().count() >= 2 && told.lines().all(|line| line == "polystark: 45 %, main trace"), "{told}");
        sleep(Duration::from_millis(60));
        assert_eq!(lines.text(), told, "nothing is told afterwards");
    }

    #[test]
    fn what_is_short_is_not_told() {
        let (lines, since) = (Lines::default(), Instant::now());
        drop(Ticker::new(Ticker::EVERY, lines.clone(), || "never".to_owned()));
        assert!(lines.text().is_empty() && since.elapsed() < Duration::from_secs(5));
    }
}
