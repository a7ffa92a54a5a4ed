//! A proof that its observer can end while an operation is at work.
//!
//! Nobody but the thread that called may ask its observer. So the proof is made on a thread of its own, and the
//! caller's thread waits: it hands on the proof's messages, asks the observer again and again meanwhile, and sets the
//! [`CancelToken`] that the proof's operations look at.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, Builder};
use std::time::Duration;

use gpu_hal::{CancelToken, Digest, ErrorKind, HalError, StarkBackend};
use tracing::Span;
use tracing::dispatcher::{get_default, with_default};

use crate::observer::{Cancelled, Observer, Phase};

/// How long nobody asks the observer, at most.
const PATIENCE: Duration = Duration::from_millis(50);
/// As much as a main thread has.
const STACK_BYTES: usize = 8 << 20;

/// A message of the proof.
enum Message<E> {
    /// Wants an answer.
    Begins(Phase),
    /// Wants an answer.
    GoesOn(Phase),
    Root(&'static str, Digest),
    Values(&'static str, Vec<E>),
    Queries(Vec<usize>),
}

/// The observer that the proof sees.
struct Relay<E> {
    say: Sender<Message<E>>,
    answers: Receiver<ControlFlow<()>>,
}

impl<E> Relay<E> {
    fn ask(&self, said: Message<E>) -> ControlFlow<()> {
        // Nobody listens any more: the observer panicked.
        self.say.send(said).ok().and_then(|()| self.answers.recv().ok()).unwrap_or(ControlFlow::Break(()))
    }

    fn tell(&self, said: Message<E>) {
        drop(self.say.send(said));
    }
}

impl<E: Copy> Observer<E> for Relay<E> {
    fn phase(&self, phase: Phase) -> ControlFlow<()> {
        self.ask(Message::Begins(phase))
    }

    fn goes_on(&self, phase: Phase) -> ControlFlow<()> {
        self.ask(Message::GoesOn(phase))
    }

    fn root(&self, name: &'static str, root: &Digest) {
        self.tell(Message::Root(name, *root));
    }

    fn values(&self, name: &'static str, values: &[E]) {
        self.tell(Message::Values(name, values.to_vec()));
    }

    fn queries(&self, indices: &[usize]) {
        self.tell(Message::Queries(indices.to_vec()));
    }
}

/// Makes a proof that the observer can end while an operation of this backend is at work. On a backend whose operations
/// look at no flag it is made on this thread, and so it is on a thread of a pool, which would stand still while it
/// waits; there it ends between operations.
pub(crate) fn cancellable<B, E, T, F>(
    backend: &B,
    observer: &dyn Observer<E>,
    prove: impl FnOnce(&dyn Observer<E>) -> Result<T, F> + Send,
) -> Result<T, F>
where
    B: StarkBackend,
    E: Copy + Send,
    T: Send,
    F: From<Cancelled> + From<HalError> + Send,
{
    if !backend.capabilities().stops || rayon::current_thread_index().is_some() {
        return prove(observer);
    }
    let stop = CancelToken::below_here();
    thread::scope(|scope| {
        // Owned by the scope's closure: an observer that panics drops them, and ends the proof, before the scope waits
        // for its thread.
        let ((say, said), (answer, answers)) = (channel(), channel());
        let _stop = StopOnDrop(&stop);
        let (log, span, under) = (get_default(Clone::clone), Span::current(), stop.clone());
        let relay = Relay { say, answers };
        let work = move || with_default(&log, || span.in_scope(|| under.over(|| prove(&relay))));
        let proof = Builder::new().name("proof".to_owned()).stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let proof = proof.map_err(|error| {
            let detail = "no thread can be started for the proof: end other programs, or allow more threads";
            HalError::new(ErrorKind::Unavailable, "prove", detail).with_source(error)
        })?;
        let cancelled = follow(observer, &stop, &said, &answer);
        let proven = proof.join().unwrap_or_else(|panic: Box<dyn Any + Send>| resume_unwind(panic));
        // The result does not count: operations that were stopped gave none.
        cancelled.map_or(proven, |cancelled| Err(cancelled.into()))
    })
}

/// Sets a flag when it is dropped.
struct StopOnDrop<'a>(&'a CancelToken);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Hands on a proof's messages until it is over, and stops it when the observer does not go on while it says nothing.
fn follow<E>(
    observer: &dyn Observer<E>,
    stop: &CancelToken,
    said: &Receiver<Message<E>>,
    answer: &Sender<ControlFlow<()>>,
) -> Option<Cancelled> {
    let (mut lasts, mut cancelled) = (None, None);
    // An observer that has ended the proof is asked no more.
    let asked = |phase, ask: &dyn Fn() -> ControlFlow<()>, cancelled: &mut Option<Cancelled>| {
        if cancelled.is_none() && ask().is_break() {
            stop.stop();
            *cancelled = Some(Cancelled { phase });
        }
        if cancelled.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // A proof that is gone wants no answer.
    let reply = |on: ControlFlow<()>| answer.send(on).unwrap_or_default();
    loop {
        match said.recv_timeout(PATIENCE) {
            Ok(Message::Begins(phase)) => {
                lasts = Some(phase);
                reply(asked(phase, &|| observer.phase(phase), &mut cancelled));
            }
            Ok(Message::GoesOn(phase)) => reply(asked(phase, &|| observer.goes_on(phase), &mut cancelled)),
            Ok(Message::Root(name, root)) => observer.root(name, &root),
            Ok(Message::Values(name, values)) => observer.values(name, &values),
            Ok(Message::Queries(indices)) => observer.queries(&indices),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(phase) = lasts {
                    let _ = asked(phase, &|| observer.goes_on(phase), &mut cancelled);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return cancelled,
        }
    }
}
