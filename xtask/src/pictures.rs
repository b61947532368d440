//! Pictures of every page that the command makes, to be looked at: for a screen and a phone, in the light and in the dark.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

use crate::step::{self, Failure, Step};
use crate::tools;

/// The widths of a screen and of a phone, in pixels.
const WIDTHS: [u32; 2] = [1280, 390];

/// Names of the browser's program.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Makes the reports of the bundled projects, the page of the demo and the report of quick runs of these experiments, and takes
/// pictures of them all. Fails if a page is wider than its window.
pub fn take(experiments: &[OsString]) -> Result<(), Failure> {
    let folder = tools::target().join("pictures");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    }
    std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    let browser = browser()?;
    crate::cargo("the command", &["build", "--release", "-p", "ordain-cli"]).run("")?;
    let ordain = |args: &[OsString]| Step::new("a page", tools::target().join("release/ordain")).args(args).run("");
    for project in ["world", "six-papers"] {
        let page = folder.join(project).with_extension("html");
        ordain(&["report".into(), crate::root().join("examples").join(project).into(), "-o".into(), page.into()])?;
    }
    ordain(&["demo".into(), folder.join("demo").into()])?;
    let mut pages = ["world.html", "six-papers.html", "demo/report.html"].map(|page| folder.join(page)).to_vec();
    if !experiments.is_empty() {
        let args = [&["reproduce".into(), "--quick".into(), "--out".into(), folder.join("papers").into()], experiments];
        ordain(&args.concat())?;
        pages.push(folder.join("papers/report.html"));
    }
    let mut wide = Vec::new();
    for page in &pages {
        for width in WIDTHS {
            if shoot(&browser, &folder, page, width)? > width {
                wide.push(format!("{} at {width} pixels", page.display()));
            }
        }
    }
    step::report(&format!("pictures are in {}", folder.display()));
    if wide.is_empty() { Ok(()) } else { Err(Failure::new(format!("wider than the window: {}", wide.join(", ")))) }
}

/// Takes the pictures of a page at a width. Returns the width of what is on the page.
fn shoot(browser: &str, folder: &Path, page: &Path, width: u32) -> Result<u32, Failure> {
    // A frame says how large its page is, and the window is made as high. Windows may not be as narrow as a phone, but frames are.
    let frame = folder.join("frame.html");
    let html = format!(
        "<!doctype html><title></title><body style='margin:0'><iframe id='page' src='file://{}' style='border:0;display:block;\
         width:{width}px'></iframe><script>onload = () => {{ const whole = page.contentDocument.documentElement; \
         document.title = whole.scrollHeight + ' ' + whole.scrollWidth; page.style.height = whole.scrollHeight + 'px' }}</script>",
        page.display()
    );
    std::fs::write(&frame, html).map_err(|error| failed(&frame, &error))?;
    let address = format!("file://{}", frame.display());
    let run = |args: &[String]| {
        let start =
            ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];
        let start = Step::new("browser", browser).args(&start).args(&[
            "--disable-background-networking",
            "--disable-component-update",
            "--hide-scrollbars",
            "--allow-file-access-from-files",
        ]);
        let profile = format!("--user-data-dir={}", folder.join("profile").display());
        let output = start.args(&[profile]).args(args).args(&[&address]).command().stderr(Stdio::null()).output();
        output.map_err(|error| Failure::new(format!("{browser}: {error}")))
    };
    let dump = String::from_utf8_lossy(&run(&["--dump-dom".into()])?.stdout).into_owned();
    let title = dump.split("<title>").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default();
    let Some((Ok(height), Ok(wide))) = title.split_once(' ').map(|(one, other)| (one.parse::<u32>(), other.parse()))
    else {
        return Err(Failure::new(format!("{browser} does not say how large {} is", page.display())));
    };
    let name = page.strip_prefix(folder).unwrap_or(page).with_extension("").display().to_string().replace('/', "-");
    for (look, scheme) in [("light", 1), ("dark", 0)] {
        let picture = folder.join(format!("{name}-{width}-{look}.png"));
        run(&[
            format!("--blink-settings=preferredColorScheme={scheme}"),
            format!("--window-size={width},{height}"),
            format!("--screenshot={}", picture.display()),
        ])?;
        if !picture.exists() {
            return Err(Failure::new(format!("{browser} made no {}", picture.display())));
        }
    }
    Ok(wide)
}

/// The browser, installed first if it is not there.
fn browser() -> Result<String, Failure> {
    let found = || BROWSERS.into_iter().find(|name| Step::new("", name).args(&["--version"]).succeeds_quietly());
    if found().is_none() {
        tools::install(&[BROWSERS[0]])?;
    }
    found()
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("no chromium: on Debian or Ubuntu, sudo apt-get install chromium"))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
