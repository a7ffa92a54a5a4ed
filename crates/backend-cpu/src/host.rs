//! How much memory the host can spare, so that a statement that is too large is refused instead of killed.

/// Bytes that this process may still take of the host's memory; `None` if the system does not say. On Linux it is the
/// least of the memory that `/proc/meminfo` calls available, of the rest of the memory limits of the control group and
/// of every group that it lies in (version 1 and 2), and of the rest of the limit of the address space (`ulimit -v`).
/// On macOS and Windows it is the memory that the system calls available.
pub fn host_memory() -> Option<u64> {
    system()
}

#[cfg(target_os = "linux")]
fn system() -> Option<u64> {
    linux::available(&|path| std::fs::read_to_string(path).ok())
}

#[cfg(any(target_vendor = "apple", windows))]
fn system() -> Option<u64> {
    let mut system = sysinfo::System::new().ok()?;
    system.refresh_memory();
    Some(system.available_memory()).filter(|available| *available > 0)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple", windows)))]
fn system() -> Option<u64> {
    None
}

/// Whether the address space has a limit: then memory that this process could do without counts.
#[cfg(target_os = "linux")]
pub(crate) fn is_address_space_limited() -> bool {
    linux::address_space(&|path| std::fs::read_to_string(path).ok()).is_some()
}

#[cfg(any(target_os = "linux", test))]
mod linux {
    use std::path::Path;

    /// Reads a file, if it is there.
    type Read<'a> = dyn Fn(&Path) -> Option<String> + 'a;

    /// A version of control groups: the place of its memory groups, and the names of their files.
    struct Version {
        root: &'static str,
        limit: &'static str,
        usage: &'static str,
        /// Cached files that nobody uses, in `memory.stat`: they count as used and are given up first.
        idle: &'static str,
    }

    const ONE: Version = Version {
        root: "/sys/fs/cgroup/memory",
        limit: "memory.limit_in_bytes",
        usage: "memory.usage_in_bytes",
        idle: "total_inactive_file",
    };
    const TWO: Version =
        Version { root: "/sys/fs/cgroup", limit: "memory.max", usage: "memory.current", idle: "inactive_file" };

    /// The least of all that limits the process.
    pub(super) fn available(read: &Read<'_>) -> Option<u64> {
        let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
        let left = groups.lines().filter_map(|line| left_of_groups(line, read));
        left.chain(host(read)).chain(address_space(read)).min()
    }

    /// The memory left of a group, `number:controllers:path`, and of the groups that it lies in. Inside of a container
    /// the path may be one of the host's, which is not there; the root then is the container's group.
    fn left_of_groups(line: &str, read: &Read<'_>) -> Option<u64> {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let version = match controllers {
            "" => TWO,
            _ if controllers.split(',').any(|controller| controller == "memory") => ONE,
            _ => return None,
        };
        let group = Path::new(path.trim_start_matches('/'));
        group.ancestors().filter_map(|group| version.left(&Path::new(version.root).join(group), read)).min()
    }

    impl Version {
        /// The memory left of the limit of a group, if it has one.
        fn left(&self, group: &Path, read: &Read<'_>) -> Option<u64> {
            let number = |name| read(&group.join(name))?.trim().parse::<u64>().ok();
            // Without a limit it says `max`, or a number beyond any memory.
            let limit = number(self.limit)?;
            let idle = read(&group.join("memory.stat")).and_then(|stat| {
                let mut lines = stat.lines().filter_map(|line| line.split_once(' '));
                lines.find(|(name, _)| *name == self.idle)?.1.trim().parse::<u64>().ok()
            });
            let used = number(self.usage).unwrap_or(0).saturating_sub(idle.unwrap_or(0));
            Some(limit.saturating_sub(used))
        }
    }

    /// The host's memory.
    fn host(read: &Read<'_>) -> Option<u64> {
        kibibytes(&read(Path::new("/proc/meminfo"))?, "MemAvailable:")
    }

    /// The address space left to the process.
    pub(super) fn address_space(read: &Read<'_>) -> Option<u64> {
        let limits = read(Path::new("/proc/self/limits"))?;
        let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        // Else it is `unlimited`.
        let limit = line.split_whitespace().next()?.parse::<u64>().ok()?;
        Some(limit.saturating_sub(kibibytes(&read(Path::new("/proc/self/status"))?, "VmSize:")?))
    }

    /// The bytes in a line `name 1234 kB`.
    fn kibibytes(text: &str, name: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// The memory available where these files are.
        fn of(files: &[(&str, &str)]) -> Option<u64> {
            available(&|path| {
                files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
            })
        }

        const HOST: (&str, &str) = ("/proc/meminfo", "MemTotal:       16 kB\nMemAvailable:   1000 kB\nBuffers: 1 kB\n");

        #[test]
        fn the_host_says_kibibytes() {
            assert_eq!(of(&[HOST]), Some(1_024_000));
            assert_eq!(of(&[("/proc/meminfo", "MemTotal: 16 kB\n")]), None);
            assert_eq!(of(&[("/proc/meminfo", "MemAvailable: many kB\n")]), None);
            assert_eq!(of(&[]), None);
        }

        #[test]
        fn every_slice_limits() {
            let group = ("/proc/self/cgroup", "1:cpu:/other\n0::/user.slice/me.service\n");
            let own = [
                ("/sys/fs/cgroup/user.slice/me.service/memory.max", "max\n"),
                ("/sys/fs/cgroup/user.slice/me.service/memory.current", "77\n"),
            ];
            let slice = [
                ("/sys/fs/cgroup/user.slice/memory.max", "1000\n"),
                ("/sys/fs/cgroup/user.slice/memory.current", "900\n"),
                ("/sys/fs/cgroup/user.slice/memory.stat", "anon 600\ninactive_file 300\n"),
            ];
            assert_eq!(of(&[&[HOST, group], &own[..]].concat()), Some(1_024_000), "no limit");
            assert_eq!(of(&[&[HOST, group], &own[..], &slice[..]].concat()), Some(400));
            let full = [("/sys/fs/cgroup/memory.max", "10"), ("/sys/fs/cgroup/memory.current", "20")];
            assert_eq!(of(&[&[HOST, group], &slice[..], &full[..]].concat()), Some(0));
        }

        #[test]
        fn groups_of_version_one_limit_too() {
            let group = ("/proc/self/cgroup", "5:cpu,cpuacct:/docker/x\n4:hugetlb,memory:/docker/x\n");
            let none = ("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "9223372036854771712\n");
            // The path is the host's: in the container only its root is there.
            let root = [
                ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000"),
                ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "4500"),
                ("/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n"),
            ];
            assert_eq!(of(&[HOST, group, none]), Some(1_024_000));
            assert_eq!(of(&[&[HOST, group, none], &root[..]].concat()), Some(700));
        }

        #[test]
        fn an_address_space_limits() {
            let status = ("/proc/self/status", "Name:\tpolystark\nVmSize:\t     100 kB\n");
            let limits = |space| ("/proc/self/limits", space);
            let limited = "Limit   Soft Limit  Hard Limit  Units\nMax address space         204800               unlimited            bytes\n";
            assert_eq!(of(&[HOST, status, limits(limited)]), Some(102_400));
            let free = "Max address space         unlimited            unlimited            bytes\n";
            assert_eq!(of(&[HOST, status, limits(free)]), Some(1_024_000));
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn this_host_says_what_it_has() {
        let available = super::host_memory().expect("Linux says");
        assert!((1 << 20..1 << 50).contains(&available), "{available}");
    }
}
