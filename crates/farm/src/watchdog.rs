//! A process that ends with another one.

use std::process::{Child, Command, Stdio};

/// Kills a process when this one ends before it, however it ends: even a kill closes the pipe that a shell waits at.
#[derive(Debug)]
pub(crate) struct Watchdog(Option<Child>);

impl Watchdog {
    /// For a child of this process, which is waited for only when this value is about to be dropped: a number that is
    /// free may be another's.
    pub(crate) fn of(child: u32) -> Self {
        let mut command = Command::new("sh");
        // Nothing is ever written to the pipe.
        command.args(["-c", "read -r _; kill -KILL \"$0\"", &child.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A terminal's signals to end this program are not for it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let shell = command.spawn();
        if let Err(error) = &shell {
            tracing::warn!(%error, "there is no watchdog: if this program is killed, its server stays until the next one starts");
        }
        Self(shell.ok())
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(shell) = &mut self.0 {
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn sleeper() -> Child {
        Command::new("sleep").arg("60").spawn().unwrap()
    }

    #[test]
    fn a_closed_pipe_kills_and_an_end_does_not() {
        let mut child = sleeper();
        let mut watchdog = Watchdog::of(child.id());
        // As if this process was killed.
        drop(watchdog.0.as_mut().unwrap().stdin.take());
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        drop(watchdog);
        let mut child = sleeper();
        drop(Watchdog::of(child.id()));
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
