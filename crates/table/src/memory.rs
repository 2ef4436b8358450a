//! How much memory may be used, and whether something more fits.
//!
//! Whatever grows with a file asks before it grows, so that a file that is too large, or made to look so, ends in a
//! sentence and not in a killed process. What may be used is what was said ([`limit_memory`]), or else what the machine has
//! free: the least of what the kernel calls available, what the control groups of this process leave, and what is left of
//! the limit on its address space. Where the system tells none of this, nothing is refused.

use crate::TableError;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What this process may use in all; `u64::MAX` where nothing was said.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// What the process holds although it is free, and uses before it asks the system for more.
static FREED: AtomicU64 = AtomicU64::new(0);

/// Memory is handed out in pages of this size.
const PAGE: u64 = 4096;

/// Says how many bytes this process may use in all. It holds for the whole process: what is read and encoded asks for it.
pub fn limit_memory(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The bytes that a size such as `2G`, `512M`, `1.5GiB` or `100000` stands for; K, M, G and T are powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, TableError> {
    let wrong = || TableError::Size(text.to_string());
    let lower = text.trim().to_ascii_lowercase();
    let number = lower.trim_end_matches("ib").trim_end_matches('b');
    let (number, unit) = match number.char_indices().last() {
        Some((at, letter)) if letter.is_ascii_alphabetic() => (&number[..at], Some(letter)),
        _ => (number, None),
    };
    let unit = match unit {
        None => 1u64,
        Some('k') => 1 << 10,
        Some('m') => 1 << 20,
        Some('g') => 1 << 30,
        Some('t') => 1 << 40,
        Some(_) => return Err(wrong()),
    };
    let bytes = number.trim().parse::<f64>().map_err(|_| wrong())? * unit as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(wrong()) }
}

/// Less is not worth a question.
const LITTLE: u64 = 1 << 20;

/// Refuses what would take `more` bytes where fewer are left; `what` says what it is. Less than a megabyte is always there.
pub fn check_memory(what: impl FnOnce() -> String, more: u64) -> Result<(), TableError> {
    if more < LITTLE {
        return Ok(());
    }
    let room = memory_left();
    if more <= room {
        Ok(())
    } else {
        Err(TableError::Memory { what: what(), more: shown_size(more), room: shown_size(room) })
    }
}

/// How many bytes are left to use.
pub fn memory_left() -> u64 {
    let used = used();
    let said = match LIMIT.load(Ordering::Relaxed) {
        u64::MAX => free().into_iter().chain(control_groups()).min().unwrap_or(u64::MAX),
        limit => {
            let resident = used.map_or(0, |used| used.resident);
            limit.saturating_sub(resident.saturating_sub(FREED.load(Ordering::Relaxed)))
        }
    };
    // Lists grow by doubling, so what is held may take as much again.
    let addresses = address_limit().zip(used);
    let addresses = addresses.map(|(limit, used)| limit.saturating_sub(used.addresses + used.resident));
    said.min(addresses.unwrap_or(u64::MAX))
}

/// How many bytes the process holds; 0 where the system does not tell.
pub fn memory_held() -> u64 {
    used().map_or(0, |used| used.resident)
}

/// Does work while this many of the bytes that the process holds are known to be free: lists of a few megabytes do not go back
/// to the system when they are freed, and what is made next takes their place.
pub fn reusing_memory<T>(freed: u64, work: impl FnOnce() -> T) -> T {
    FREED.store(freed, Ordering::Relaxed);
    let done = work();
    FREED.store(0, Ordering::Relaxed);
    done
}

/// What a number of a table takes while a model is fitted: in its column, in the rows, and as a learner holds it. `fit` of
/// 1,000,000 rows of 50 numbers took 8.4 bytes per number more than of 100,000 with one model, be it trees or a line; as much
/// again is left for methods that hold rows in a second form.
const BYTES_PER_NUMBER: u64 = 16;

/// Fewer rows are not worth a proposal.
const LEAST_ROWS: u64 = 1_000;

/// What a process takes that reads a table and holds none of it: itself, what a reader asks for between two steps, and the
/// pieces under way.
const BYTES_TO_READ: u64 = 48 << 20;

/// What is kept of a row of the table that is not learned from: its label twice, whether it was drawn, and its score.
const BYTES_PER_OTHER_ROW: u64 = 8;

/// How many bytes the process may use in all.
pub fn memory_in_all() -> u64 {
    match LIMIT.load(Ordering::Relaxed) {
        u64::MAX => memory_left().saturating_add(used().map_or(0, |used| used.resident)),
        limit => limit,
    }
}

/// About how many unlabeled rows of this many numbers a model can be fitted on, in a round number, besides all labeled ones of a
/// table of this many rows; `None` where they are too few.
pub fn unlabeled_to_fit(columns: usize, labeled: usize, rows: usize) -> Option<usize> {
    unlabeled_within(memory_in_all(), columns, labeled, rows)
}

fn unlabeled_within(bytes: u64, columns: usize, labeled: usize, rows: usize) -> Option<usize> {
    let beside = BYTES_TO_READ.saturating_add(BYTES_PER_OTHER_ROW.saturating_mul(rows as u64));
    let fit = bytes.saturating_sub(beside) / (columns.max(1) as u64 * BYTES_PER_NUMBER);
    let unlabeled = fit.saturating_sub(labeled as u64);
    let unit = 10u64.pow(unlabeled.max(1).ilog10());
    (unlabeled >= LEAST_ROWS).then(|| usize::try_from(unlabeled / unit * unit).unwrap_or(usize::MAX))
}

/// `1.5 GiB`.
pub fn shown_size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let power = (0..units.len() - 1).take_while(|&power| bytes >> (10 * (power + 1)) > 0).count();
    match power {
        0 => format!("{bytes} bytes"),
        _ => {
            let value = bytes as f64 / (1u64 << (10 * power)) as f64;
            let text = if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") };
            format!("{} {}", text.trim_end_matches(".0"), units[power])
        }
    }
}

/// What this process has.
#[derive(Clone, Copy)]
struct Used {
    addresses: u64,
    resident: u64,
}

fn used() -> Option<Used> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split_whitespace().map(|pages| pages.parse::<u64>().ok());
    Some(Used { addresses: pages.next()?? * PAGE, resident: pages.next()?? * PAGE })
}

/// What the kernel calls available.
fn free() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? << 10)
}

fn address_limit() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What the control groups of this process leave, of either version.
fn control_groups() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let of_line = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        let (root, names) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file"]),
            _ if controllers.split(',').any(|name| name == "memory") => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
            ),
            _ => return None,
        };
        upward(Path::new(root), path).iter().filter_map(|folder| left_in(folder, names)).min()
    };
    groups.lines().filter_map(of_line).min()
}

/// A folder below `root` and those above it, up to `root`.
fn upward(root: &Path, path: &str) -> Vec<PathBuf> {
    let below = root.join(path);
    below.ancestors().take_while(|folder| folder.starts_with(root)).map(Path::to_path_buf).collect()
}

/// What one group leaves. What it holds of files can be given back and does not count.
fn left_in(folder: &Path, [limit, current, cache]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let statistics = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached = statistics.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse::<u64>().ok());
    let used = number(current)?.saturating_sub(cached.unwrap_or(0));
    Some(number(limit)?.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
        for (text, bytes) in [
            ("2G", 2u64 << 30),
            ("512M", 512 << 20),
            ("512MiB", 512 << 20),
            ("1.5g", 3 << 29),
            ("64 KB", 64 << 10),
            ("1000", 1000),
            ("1t", 1 << 40),
        ] {
            assert_eq!(parse_size(text).unwrap(), bytes, "{text}");
        }
        for text in ["", "G", "-1G", "2X", "0", "nan", "1e99G", "é"] {
            let message = parse_size(text).unwrap_err().to_string();
            assert!(message.contains("is not an amount of memory; write it such as 2G or 512M"), "{message}");
        }
    }

    #[test]
    fn sizes_are_shown_in_the_unit_that_fits() {
        for (bytes, text) in [
            (12, "12 bytes"),
            (1 << 10, "1 KiB"),
            (3 << 29, "1.5 GiB"),
            (256 << 20, "256 MiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(shown_size(bytes), text);
        }
    }

    #[test]
    fn rows_that_would_fit_are_a_round_number() {
        // (2^30 − 48 · 2^20 − 8 · 10^6) / (50 · 16) = 1,269,262, of which 300,000 are labeled.
        assert_eq!(unlabeled_within(1 << 30, 50, 300_000, 1_000_000), Some(900_000));
        // (208 · 2^20 − 8 · 1,250,000) / (3 · 16) = 4,335,496.
        assert_eq!(unlabeled_within(256 << 20, 3, 0, 1_250_000), Some(4_000_000));
        assert_eq!(unlabeled_within(64 << 20, 100, 0, 1_000), Some(10_000));
        assert_eq!(unlabeled_within(48 << 20, 1, 0, 0), None);
    }

    #[test]
    fn what_no_machine_has_is_refused() {
        assert!(check_memory(|| "it".to_string(), 0).is_ok());
        if free().is_some() {
            let message = check_memory(|| "the table".to_string(), 1 << 60).unwrap_err().to_string();
            let expected = "not enough memory for the table: it needs about 1048576 TiB more, and ";
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn groups_are_looked_at_up_to_the_root() {
        let found = upward(Path::new("/sys/fs/cgroup"), "a/b");
        let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(names, ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"]);
    }
}
