//! Subjects, streams and keys of a farm.
//!
//! A job waits in the stream `P-queue` under `P.jobs.PRIORITY.CLASS.NAME`, P being the farm's name. The class is the
//! binary logarithm of the memory that it takes, rounded up, so that a worker asks only for classes that can fit it.

use crate::{JobName, Priority};

/// The least class, of all jobs that take at most 256 MiB, and the last, of more than 2 TiB, too.
const CLASSES: std::ops::RangeInclusive<u32> = 28..=42;

/// The class of a job that takes `bytes` bytes.
pub(crate) fn class(bytes: u64) -> u32 {
    let bits = bytes.checked_next_power_of_two().map_or(u64::BITS, u64::ilog2);
    bits.clamp(*CLASSES.start(), *CLASSES.end())
}

/// The last class of which a job can fit the memory. Some of that class may not.
pub(crate) fn last_class(room: Option<u64>) -> u32 {
    room.map_or(*CLASSES.end(), class)
}

/// Names that begin with the farm's.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    prefix: String,
}

impl Names {
    pub(crate) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.into() }
    }

    /// A job's subject.
    pub(crate) fn job(&self, priority: Priority, class: u32, name: &JobName) -> String {
        format!("{}.jobs.{}.{class}.{name}", self.prefix, priority.name())
    }

    /// The job that a subject is of.
    pub(crate) fn name_in(subject: &str) -> Option<JobName> {
        subject.rsplit('.').next()?.parse().ok()
    }

    /// Subjects of a consumer.
    pub(crate) fn filter(&self, priority: Priority, class: u32) -> String {
        format!("{}.jobs.{}.{class}.*", self.prefix, priority.name())
    }

    /// A consumer's name.
    pub(crate) fn consumer(priority: Priority, class: u32) -> String {
        format!("{}-{class}", priority.name())
    }

    /// The meaning of a consumer's name.
    pub(crate) fn read_consumer(name: &str) -> Option<(Priority, u32)> {
        let (priority, class) = name.split_once('-')?;
        let priority = Priority::ALL.into_iter().find(|one| one.name() == priority)?;
        let class = class.parse().ok().filter(|class| CLASSES.contains(class))?;
        Some((priority, class))
    }
}

macro_rules! named {
    ($($(#[$doc:meta])+ $name:ident $ending:literal;)+) => {
        impl Names {
            $($(#[$doc])+ pub(crate) fn $name(&self) -> String {
                format!("{}{}", self.prefix, $ending)
            })+
        }
    };
}

named! {
    /// The stream of jobs that wait or run.
    queue "-queue";
    /// All subjects of that stream.
    all_jobs ".jobs.>";
    /// Where it is told that a job was submitted: idle workers listen.
    bell ".bell";
    /// Where it is told that a job was cancelled: its worker listens.
    cancelled ".cancelled";
    /// The bucket of states.
    states "-jobs";
    /// The bucket of workers.
    workers "-workers";
    /// The bucket of alarms.
    alarms "-alarms";
    /// The store of inputs.
    inputs "-inputs";
    /// The store of proofs.
    proofs "-proofs";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;

    #[test]
    fn a_class_holds_what_fits_and_no_less() {
        assert_eq!([0, 1, 1 << 28, (1 << 28) + 1, 1 << 30, 1 << 42, u64::MAX].map(class), [28, 28, 28, 29, 30, 42, 42]);
        // A worker of 78 GiB asks for the class up to 128 GiB, too: a job of 70 GiB fits it.
        assert!(class(70 << 30) <= last_class(Some(78 << 30)));
        assert!(class(129 << 30) > last_class(Some(78 << 30)));
        assert_eq!(last_class(None), 42);
    }

    #[test]
    fn names_read_back() {
        let names = Names::new("farm");
        let job = Digest::of(b"job");
        assert_eq!(Names::name_in(&names.job(Priority::Low, 30, &job)), Some(job));
        assert_eq!(Names::name_in("farm.jobs.low.30.x"), None);
        assert_eq!(Names::read_consumer(&Names::consumer(Priority::High, 31)), Some((Priority::High, 31)));
        assert_eq!(Names::read_consumer("high-99").or(Names::read_consumer("other")), None);
    }
}
