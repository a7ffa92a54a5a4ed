//! Pages of the manual and completions of shells, as the program writes them.

use std::path::Path;

use super::staging::Staging;
use super::text;
use crate::run;

/// Where shells look for completions of programs that packages bring.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/polystark"),
    ("zsh", "usr/share/zsh/vendor-completions/_polystark"),
    ("fish", "usr/share/fish/vendor_completions.d/polystark.fish"),
];

/// The folder of the pages.
pub(super) const PAGES: &str = "usr/share/man/man1";

/// Adds a page for the program and for each subcommand, and the completions.
pub(super) fn add(staging: &Staging, program: &Path) -> crate::Result {
    let mut files = Vec::new();
    pages(staging, program, &mut Vec::new(), &mut files)?;
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    run::output_of("gzip", &[&["--best", "--no-name"][..], &files].concat())?;
    for (shell, file) in COMPLETIONS {
        staging.write(file, &run::output_of(program, &["completions", shell])?.stdout)?;
    }
    Ok(())
}

/// The page of a subcommand, and the pages of its own subcommands.
fn pages(staging: &Staging, program: &Path, command: &mut Vec<String>, files: &mut Vec<String>) -> crate::Result {
    let words: Vec<&str> = ["man"].into_iter().chain(command.iter().map(String::as_str)).collect();
    let page = run::output_of(program, &words)?.stdout;
    let name = [&["polystark"], &words[1..]].concat().join("-");
    let file = format!("{PAGES}/{name}.1");
    staging.write(&file, &page)?;
    files.push(text(&staging.path(&file)?)?.to_owned());
    for below in subcommands(&String::from_utf8_lossy(&page), &name) {
        command.push(below);
        pages(staging, program, command, files)?;
        command.pop();
    }
    Ok(())
}

/// The subcommands that a page refers to as pages: lines `NAME\-SUBCOMMAND(1)`, `-` written `\-`. The page of `help`
/// says nothing.
fn subcommands(page: &str, name: &str) -> Vec<String> {
    let own = |line: &str| {
        let line = line.replace("\\-", "-");
        let below = line.strip_suffix("(1)")?.strip_prefix(name)?.strip_prefix('-')?;
        (below != "help").then(|| below.to_owned())
    };
    page.lines().filter_map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::subcommands;

    #[test]
    fn subcommands_are_those_that_the_page_refers_to() {
        let page = ".SH SUBCOMMANDS\n.TP\npolystark\\-prove(1)\nProve\n.TP\npolystark\\-program\\-hash(1)\n.TP\npolystark\\-help(1)\n";
        assert_eq!(subcommands(page, "polystark"), ["prove", "program-hash"]);
        assert_eq!(subcommands(page, "polystark-prove"), [""; 0]);
    }
}
