//! The cost of each check, in the output of `cargo xtask ci`: the next reader sees where the time goes.

use std::time::Instant;

/// Runs a check and says how long it took, also if it fails.
pub(crate) fn timed(name: &str, check: impl FnOnce() -> crate::Result) -> crate::Result {
    let (start, before) = (Instant::now(), processor_seconds());
    let result = check();
    let wall = start.elapsed().as_secs();
    match (before, processor_seconds()) {
        (Some(before), Some(after)) => println!("xtask: {name} took {wall} s, {} s of processors", after - before),
        _ => println!("xtask: {name} took {wall} s"),
    }
    result
}

/// Seconds since `.ci/run` began; `None` if it is not what runs.
pub(crate) fn since_start() -> Option<u64> {
    let start: u64 = std::env::var("POLYSTARK_CI_START").ok()?.parse().ok()?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    now.as_secs().checked_sub(start)
}

/// Seconds that all processors together spent on programs that this one has started and that have ended. Unlike seconds
/// of a clock they do not depend on the machine's other work. Only Linux has the file.
fn processor_seconds() -> Option<u64> {
    ended_children(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Reads a line of `/proc/PID/stat`: the time of ended children in user mode and in the kernel, in hundredths of a
/// second.
fn ended_children(stat: &str) -> Option<u64> {
    // The second field is the program's name in brackets, and may have spaces; the two are fields 16 and 17.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut ticks = rest.split_whitespace().skip(13).map(|field| field.parse::<u64>().ok());
    Some((ticks.next()?? + ticks.next()??) / 100)
}

#[cfg(test)]
mod tests {
    use super::ended_children;

    #[test]
    fn the_time_of_children_is_the_sixteenth_and_the_seventeenth_field() {
        let line = "31944 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 450 1550 20 0 1";
        assert_eq!(ended_children(line), Some(20));
        assert_eq!(ended_children("31944 (a) S 1 2"), None);
        assert_eq!(ended_children("31944"), None);
    }
}
