//! The bill of materials: the crates that are in the program, in CycloneDX's format
//! (<https://cyclonedx.org/docs/1.5/json/>).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use crate::run;

/// A crate of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Crate {
    /// SPDX expression.
    pub(super) licence: String,
    /// Its dependencies, as `name version`.
    pub(super) depends: BTreeSet<String>,
}

/// The crates of the program by `name version`, without macros and build scripts, which are not in it.
pub(super) type Crates = BTreeMap<String, Crate>;

/// As cargo resolves them for the program: `package` says which, with which features.
pub(super) fn crates(package: &[&str]) -> Result<Crates, String> {
    let shown = ["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", "\t{p}\t{l}"];
    let output = run::output(&[&["tree"], package, &shown].concat())?;
    let mut crates = read(&String::from_utf8_lossy(&output.stdout))?;
    let clarified = clarified()?;
    for (package, known) in &mut crates {
        let name = package.split(' ').next().unwrap_or_default();
        if let Some(licence) = clarified.get(name) {
            known.licence.clone_from(licence);
        }
    }
    Ok(crates)
}

/// Lines `DEPTH\tNAME vVERSION (..)\tLICENCE`, with ` (*)` behind crates whose dependencies stand further up.
fn read(tree: &str) -> Result<Crates, String> {
    let (mut crates, mut above) = (Crates::new(), Vec::<String>::new());
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let wrong = || format!("cargo tree: not understood: {line}");
        let [depth, package, licence] = line.split('\t').collect::<Vec<_>>()[..] else { return Err(wrong()) };
        let depth: usize = depth.parse().map_err(|_| wrong())?;
        let [name, version] = package.split(' ').take(2).collect::<Vec<_>>()[..] else { return Err(wrong()) };
        let package = format!("{name} {}", version.strip_prefix('v').ok_or_else(wrong)?);
        above.truncate(depth);
        if let Some(parent) = above.last() {
            crates.entry(parent.clone()).or_default().depends.insert(package.clone());
        }
        // Older crates write `A/B`.
        let licence = licence.strip_suffix(" (*)").unwrap_or(licence).replace('/', " OR ");
        let words: Vec<&str> = licence.split_whitespace().collect();
        crates.entry(package.clone()).or_default().licence = words.join(" ");
        above.push(package);
    }
    Ok(crates)
}

/// The licences of crates that do not say theirs in their manifests, as deny.toml has them.
fn clarified() -> Result<BTreeMap<String, String>, String> {
    let deny = fs::read_to_string(run::root().join("deny.toml")).map_err(|error| format!("deny.toml: {error}"))?;
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='))?;
        Some(line.trim().trim_matches('"').to_owned())
    };
    let blocks = deny.split("[[licenses.clarify]]").skip(1);
    Ok(blocks.filter_map(|block| Some((value(block, "crate")?, value(block, "expression")?))).collect())
}

/// The checksums of crates.io by `name version`, of Cargo.lock.
pub(super) fn checksums() -> Result<BTreeMap<String, String>, String> {
    let lock = fs::read_to_string(run::root().join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))?;
        Some(line.trim_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").skip(1);
    let entry = |block: &str| {
        Some((format!("{} {}", value(block, "name")?, value(block, "version")?), value(block, "checksum")?))
    };
    Ok(packages.filter_map(entry).collect())
}

fn purl(package: &str) -> String {
    format!("pkg:cargo/{}", package.replace(' ', "@"))
}

/// The bill as text. `digest` is the program's SHA-256.
pub(super) fn of(crates: &Crates, version: &str, digest: &str) -> Result<String, String> {
    let (checksums, program) = (checksums()?, format!("polystark {version}"));
    let hashes = |digest: &str| json!([{ "alg": "SHA-256", "content": digest }]);
    let component = |package: &String, known: &Crate| {
        let (name, version) = package.split_once(' ').unwrap_or_default();
        let mut component = json!({
            "type": "library", "bom-ref": purl(package), "name": name, "version": version, "purl": purl(package),
            "licenses": [{ "expression": known.licence }],
        });
        if let Some(checksum) = checksums.get(package) {
            component["hashes"] = hashes(checksum);
        }
        component
    };
    let components: Vec<Value> = crates
        .iter()
        .filter(|(package, _)| **package != program)
        .map(|(package, known)| component(package, known))
        .collect();
    let depends = |(package, known): (&String, &Crate)| json!({ "ref": purl(package), "dependsOn": known.depends.iter().map(|below| purl(below)).collect::<Vec<_>>() });
    let licence = crates.get(&program).map(|known| known.licence.clone()).unwrap_or_default();
    let bill = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": purl(&program), "name": "polystark", "version": version, "purl": purl(&program),
            "licenses": [{ "expression": licence }], "hashes": hashes(digest),
        } },
        "components": components,
        "dependencies": crates.iter().map(depends).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&bill)
        .map(|text| text + "\n")
        .map_err(|error| format!("the bill of materials: {error}"))
}

/// The faults of a bill of a program: `tree` are the crates in it, `built` the crates that the compiler was run for,
/// and the crates in `checksums` come from a registry.
pub(super) fn faults(
    bill: &Value,
    tree: &BTreeSet<String>,
    built: &BTreeSet<String>,
    checksums: &BTreeMap<String, String>,
) -> Vec<String> {
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    let program = std::iter::once(&bill["metadata"]["component"]);
    for component in program.chain(bill["components"].as_array().into_iter().flatten()) {
        let field = |key: &str| component[key].as_str().unwrap_or_default();
        let package = format!("{} {}", field("name"), field("version"));
        if !built.contains(&package) {
            faults.push(format!("{package} is listed and was not built"));
        }
        if component["licenses"][0]["expression"].as_str().unwrap_or_default().is_empty() {
            faults.push(format!("{package} has no licence"));
        }
        if checksums.get(&package).is_some_and(|checksum| component["hashes"][0]["content"] != checksum.as_str()) {
            faults.push(format!("{package} has not the checksum of Cargo.lock"));
        }
        if !seen.insert(package.clone()) {
            faults.push(format!("{package} is listed twice"));
        }
    }
    faults.extend(tree.difference(&seen).map(|package| format!("{package} is not listed")));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str =
        "0\tpolystark v0.1.0 (/p)\tMIT\n1\ta v1.0.0\tMIT/Apache-2.0\n2\tb v2.0.0\tMIT\n1\tb v2.0.0\tMIT (*)\n";

    fn set(packages: &[&str]) -> BTreeSet<String> {
        packages.iter().map(|package| (*package).to_owned()).collect()
    }

    #[test]
    fn a_tree_is_read_with_its_edges() {
        let crates = read(TREE).expect("cargo's format");
        let depends: Vec<_> = crates.iter().map(|(package, known)| (package.as_str(), known.depends.clone())).collect();
        assert_eq!(
            depends,
            [("a 1.0.0", set(&["b 2.0.0"])), ("b 2.0.0", set(&[])), ("polystark 0.1.0", set(&["a 1.0.0", "b 2.0.0"]))]
        );
        assert_eq!(crates["a 1.0.0"].licence, "MIT OR Apache-2.0");
        assert!(read("0 polystark").is_err());
    }

    #[test]
    fn faults_are_named() {
        let crates = read(TREE).expect("cargo's format");
        let bill: Value = serde_json::from_str(&of(&crates, "0.1.0", "00").expect("a bill")).expect("JSON");
        let all = set(&["polystark 0.1.0", "a 1.0.0", "b 2.0.0"]);
        let none = BTreeMap::new();
        assert_eq!(faults(&bill, &all, &all, &none), [""; 0]);
        let found = |bill: &Value, tree: &BTreeSet<String>, built: &BTreeSet<String>| {
            faults(bill, tree, built, &none).join("; ")
        };
        assert_eq!(found(&bill, &set(&["c 1.0.0"]), &all), "c 1.0.0 is not listed");
        assert_eq!(found(&bill, &all, &set(&["polystark 0.1.0", "a 1.0.0"])), "b 2.0.0 is listed and was not built");
        let mut wrong = bill.clone();
        wrong["components"][0] = wrong["components"][1].clone();
        assert_eq!(found(&wrong, &all, &all), "b 2.0.0 is listed twice; a 1.0.0 is not listed");
        wrong = bill.clone();
        wrong["components"][0]["licenses"] = json!([]);
        assert_eq!(found(&wrong, &all, &all), "a 1.0.0 has no licence");
        let checksums = [("a 1.0.0".to_owned(), "11".to_owned())].into();
        assert_eq!(faults(&bill, &all, &all, &checksums), ["a 1.0.0 has not the checksum of Cargo.lock"]);
    }
}
