//! What the side-by-side runs share: child processes, medians, and the record of a run.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::de::DeserializeOwned;

/// The crate's folder.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of public data.
pub fn data() -> PathBuf {
    std::env::var_os("ORDAIN_DATA").map_or_else(|| folder().join("../../../shared/data"), PathBuf::from)
}

/// The JSON that a command prints, given this on standard input.
pub fn run<T: DeserializeOwned>(command: &mut Command, task: &str) -> Result<T, Box<dyn Error>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    child.stdin.take().ok_or("no standard input")?.write_all(task.as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(format!("{:?} failed: {}", command.get_program(), output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The middle of some times.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The largest resident memory of this process so far.
pub fn peak_mb() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}

/// Processor and cores.
pub fn machine() -> Result<String, Box<dyn Error>> {
    let cpu = std::fs::read_to_string("/proc/cpuinfo")?;
    let name = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("an unknown processor");
    Ok(format!("{}, {} cores", name.trim_start_matches(['\t', ':', ' ']), std::thread::available_parallelism()?))
}

/// The date.
pub fn today() -> Result<String, Box<dyn Error>> {
    Ok(String::from_utf8(Command::new("date").arg("+%Y-%m-%d").output()?.stdout)?.trim().to_owned())
}

/// Writes a report under the date, and says where.
pub fn record(name: &str, title: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let date = today()?;
    let path = folder().join(format!("results/{date}-{name}.md"));
    std::fs::write(&path, format!("# {title}, {date}\n\n{text}"))?;
    println!("{text}\nrecorded in results/{date}-{name}.md\n");
    Ok(())
}
