//! The page in a browser.

use std::path::Path;
use std::process::Command;

use crate::run;

/// From the root.
const PAGE: &str = "crates/verify-wasm/www/verify.html";
const SCRIPT: &str = "xtask/src/wasm/page.py";
/// Programs that can be the browser, the smallest first.
const BROWSERS: [&str; 4] = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/// Opens the page in a browser, which must be there, beside the module `verify.wasm` and the files in the folder.
pub(super) fn all(folder: &Path) -> crate::Result {
    let is_there =
        |program: &&str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    let Some(browser) = BROWSERS.into_iter().find(is_there) else {
        println!("wasm: page not run: there is no Chromium here; on Debian: apt install {}", BROWSERS[0]);
        return Ok(());
    };
    let to = folder.join("verify.html");
    std::fs::copy(run::root().join(PAGE), &to).map_err(|error| format!("{PAGE}: {error}"))?;
    run::program("python3", &[SCRIPT, browser, &folder.to_string_lossy()], &[])
}
