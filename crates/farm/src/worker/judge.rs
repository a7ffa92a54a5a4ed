//! Whether a job that was taken is to be begun.

use crate::State;
use crate::state::Record;

/// The right answer to a message.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// It says nothing any more: the job is final, or has a newer message.
    Void,
    /// It was delivered again since, and another worker has begun the job.
    Stale,
    /// The job ends.
    End(Box<Record>),
    /// The job begins.
    Begin(Box<Record>),
}

/// The verdict on a message of this generation, delivered so often, by the job's record.
pub(super) fn judge(
    record: &Record,
    (generation, delivered): (u64, u64),
    worker: &str,
    most: u32,
    now: u64,
) -> Verdict {
    let status = &record.status;
    if status.state.is_final() || record.generation != generation {
        return Verdict::Void;
    }
    if delivered <= record.delivery {
        return Verdict::Stale;
    }
    let mut next = record.clone();
    next.touched = now;
    if status.state == State::Running {
        let before = status.worker.as_deref().unwrap_or_default();
        next.status.error = Some(format!("worker `{before}` fell silent in attempt {}", status.attempts));
    }
    if status.deadline.is_some_and(|deadline| deadline < now) {
        next.end(State::Failed, Some("its deadline was over before it was begun".into()));
        return Verdict::End(Box::new(next));
    }
    if status.attempts >= most {
        let error = next.status.error.take();
        next.end(State::SetAside, error);
        return Verdict::End(Box::new(next));
    }
    next.delivery = delivered;
    let status = &mut next.status;
    status.state = State::Running;
    status.attempts += 1;
    status.worker = Some(worker.into());
    status.begun = Some(now);
    status.phase = None;
    status.share = 0.0;
    status.phases.clear();
    Verdict::Begin(Box::new(next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Job, Priority, Requirements, Submission};

    fn record() -> Record {
        let job = Job { kind: "toy".into(), words: [].into(), inputs: [].into() };
        Record::new(Submission { job, priority: Priority::Normal, deadline: Some(100) }, Requirements { bytes: 1 })
    }

    #[test]
    fn a_message_counts_once() {
        let queued = record();
        let Verdict::Begin(running) = judge(&queued, (1, 1), "a", 2, 50) else { panic!("it waits") };
        assert_eq!((running.status.state, running.status.attempts, running.delivery), (State::Running, 1, 1));
        // The same delivery again, or an earlier one: its holder was stopped in between.
        assert_eq!(judge(&running, (1, 1), "b", 2, 50), Verdict::Stale);
        // A later one says that the lease was lost.
        let Verdict::Begin(second) = judge(&running, (1, 2), "b", 2, 50) else { panic!("`a` was silent") };
        assert_eq!(second.status.worker.as_deref(), Some("b"));
        assert!(second.status.error.as_ref().is_some_and(|error| error.contains("`a` fell silent in attempt 1")));
        assert!(!running.same_attempt(&second));
        // This was the last attempt.
        let Verdict::End(ended) = judge(&second, (1, 3), "c", 2, 50) else { panic!("two attempts") };
        assert_eq!(ended.status.state, State::SetAside);
        assert!(ended.status.error.as_ref().is_some_and(|error| error.contains("`b` fell silent in attempt 2")));
        assert_eq!(judge(&ended, (1, 4), "c", 9, 50), Verdict::Void);
    }

    #[test]
    fn messages_of_earlier_generations_are_void() {
        let next = record().with_new_message();
        assert_eq!(judge(&next, (1, 9), "a", 2, 50), Verdict::Void);
        assert!(matches!(judge(&next, (2, 1), "a", 2, 50), Verdict::Begin(_)));
    }

    #[test]
    fn a_job_whose_deadline_is_over_is_not_begun() {
        let Verdict::End(ended) = judge(&record(), (1, 1), "a", 2, 101) else { panic!("the deadline is 100") };
        assert_eq!(ended.status.state, State::Failed);
    }
}
