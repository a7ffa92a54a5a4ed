//! The library `polystark` with some of its features: each combination that docs/install.md lists, and the default one,
//! compiles without a warning by itself, that is without the features that other crates of the workspace turn on. The
//! listed ones build no more crates than the page says.

use std::collections::BTreeSet;

use crate::run;

const PAGE: &str = "docs/install.md";

/// The crates are counted for this target, whatever the machine is: others have a few more or less.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Checks every combination of the page.
pub(crate) fn all() -> crate::Result {
    let page = std::fs::read_to_string(run::root().join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let rows = rows(&page)?;
    for (features, most) in &rows {
        let count = crates(features)?.len();
        println!("features {features}: {count} crates, at most {most}");
        if count > *most {
            return Err(format!("polystark with {features} builds {count} crates; {PAGE} says at most {most}"));
        }
    }
    without_machine()?;
    python_hints()?;
    let clippy = |program: &[&str], features: &[&str]| {
        let library = ["clippy", "-p", "polystark", "-p", "polystark-sdk"];
        run::cargo(&[&library[..], program, features, &["--", "-D", "warnings"]].concat())
    };
    let program = ["-p", "polystark-cli"];
    clippy(&program, &[])?;
    rows.iter().try_for_each(|(features, _)| {
        let has_program = features.split(',').any(|feature| feature == "cli");
        let with = ["--no-default-features", "--features", features];
        clippy(if has_program { &program } else { &[] }, &with)
    })?;
    client_alone()
}

/// A program without a virtual machine and without provers of circuits verifies client proofs, and says which feature
/// makes them.
fn client_alone() -> crate::Result {
    let features = ["--no-default-features", "--features", "cli,client"];
    run::cargo(&[&["test", "-p", "polystark", "--test", "client"][..], &features].concat())
}

/// Proofs of Cairo's runs are made and verified without a virtual machine, by the library, too, the program verifies
/// them and client proofs without one, and runs are read without one.
fn without_machine() -> crate::Result {
    let library = ["-p", "polystark-sdk", "--no-default-features", "--features", "cairo,client,cuda"];
    let program = ["-p", "polystark", "--no-default-features", "--features", "cairo,cli,client,cuda,farm"];
    for package in [&["-p", "polystark-cairo", "--all-features"][..], &library, &program] {
        let machine = |name: &&String| name.starts_with("cairo-vm ") || name.starts_with("stwo-cairo-adapter ");
        if let Some(machine) = tree(package)?.iter().find(machine) {
            return Err(format!(
                "{} builds {machine}, which only polystark-cairo-run may, with its feature `vm`",
                package.join(" ")
            ));
        }
    }
    run::cargo(&["clippy", "-p", "polystark-cairo-run", "--no-default-features", "--", "-D", "warnings"])
}

/// Hints run as Python, which no other check builds: its interpreter takes 76 crates.
fn python_hints() -> crate::Result {
    let feature = ["-p", "polystark-cairo-run", "--features", "python-hints"];
    run::cargo(&[&["clippy"][..], &feature, &["--all-targets", "--", "-D", "warnings"]].concat())?;
    // Without the attacks that take five minutes.
    run::cargo_with(&[&["test"][..], &feature, &["--", "python", "library"]].concat(), &[("POLYSTARK_SLOW", "0")])?;
    // The program serves its hints itself: its test builds Cairo once more, and is run by hand.
    let program = ["-p", "polystark", "-p", "polystark-cli", "--no-default-features", "--features", "cli,python-hints"];
    run::cargo(&[&["clippy"][..], &program, &["--", "-D", "warnings"]].concat())
}

/// The names and versions of all crates that are built for the library with these features, build scripts included.
pub(crate) fn crates(features: &str) -> Result<BTreeSet<String>, String> {
    tree(&["-p", "polystark", "--no-default-features", "--features", features])
}

/// The names and versions of all crates that are built for a package, build scripts included.
fn tree(package: &[&str]) -> Result<BTreeSet<String>, String> {
    let shown = ["--edges", "normal,build", "--target", TARGET, "--prefix", "none", "--format", "{p}"];
    let output = run::output(&[&["tree", "--locked"][..], package, &shown].concat())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let package = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    Ok(text.lines().filter(|line| !line.is_empty()).map(package).collect())
}

/// The table of the page whose head begins with `features`: the features of each row, and the number at its end.
fn rows(page: &str) -> Result<Vec<(String, usize)>, String> {
    let table = page.lines().skip_while(|line| !line.starts_with("| features |")).skip(2);
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let number = cells.last().and_then(|cell| cell.parse().ok());
        let features = cells[0].replace(['`', ' '], "");
        number
            .map(|number| (features, number))
            .ok_or_else(|| format!("{PAGE}: no number of crates at the end of {line}"))
    };
    let rows = table.take_while(|line| line.starts_with('|')).map(row).collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() { Err(format!("{PAGE}: it has no table of features")) } else { Ok(rows) }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn rows_are_those_of_the_table_of_features() {
        let page = "| x | y |\n|---|---|\n| `a` | 1 |\n\n| features | what | crates |\n|---|---|---|\n| `b`, `c` | d | 12 |\nend\n| `e` | 2 |";
        assert_eq!(rows(page), Ok(vec![("b,c".to_owned(), 12)]));
        assert!(rows("| features | crates |\n|---|---|\n| `b` | many |").is_err());
        assert!(rows("| x | y |\n|---|---|\n| `a` | 1 |").is_err());
    }
}
