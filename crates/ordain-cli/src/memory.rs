//! The memory that this process may still take.

use std::fs::read_to_string;
use std::path::Path;

/// The bytes that this process can still take: the least of what the machine has, what the limit on its address space
/// leaves, and what the limits of its control groups leave. `None` where the system does not say.
pub fn available() -> Option<u64> {
    [machine(), address_space(), control_groups()].into_iter().flatten().min()
}

/// Lines such as `MemAvailable:  1024 kB`.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(1024 * line.split_whitespace().next()?.parse::<u64>().ok()?)
}

fn machine() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemAvailable")
}

/// What `ulimit -v` leaves.
fn address_space() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kilobytes("/proc/self/status", "VmSize")?))
}

/// What the control group of this process and those above it leave. Files that are only cached can be dropped.
fn control_groups() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let left = |folder: &Path| {
        let number = |file: &str| read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
        let (limit, used) = (number("memory.max")?, number("memory.current")?);
        let cached = read_to_string(folder.join("memory.stat")).ok().and_then(|stat| {
            stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.trim().parse::<u64>().ok())
        });
        Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
    };
    let root = Path::new("/sys/fs/cgroup");
    root.join(own).ancestors().take_while(|folder| folder.starts_with(root)).filter_map(left).min()
}
