//! docs/architecture.md draws our crates on floors and lists the crates that each depends on: the manifests say the
//! same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::run;

/// Our crates by name, each with those that it depends on, tests aside.
type Crates = BTreeMap<String, BTreeSet<String>>;

fn crates() -> Crates {
    let metadata = run::output(&["metadata", "--no-deps", "--format-version", "1"]).unwrap().stdout;
    let metadata: Value = serde_json::from_slice(&metadata).unwrap();
    let name = |value: &Value| {
        let name = value["name"].as_str().unwrap();
        name.strip_prefix("polystark-").unwrap_or(name).to_owned()
    };
    let is_ours = |package: &&Value| package["manifest_path"].as_str().unwrap().contains("/crates/");
    let packages: Vec<&Value> = metadata["packages"].as_array().unwrap().iter().filter(is_ours).collect();
    let names: BTreeSet<String> = packages.iter().map(|package| name(package)).collect();
    let needed = |package: &Value| {
        let normal = package["dependencies"].as_array().unwrap().iter().filter(|needed| needed["kind"].is_null());
        normal.map(name).filter(|needed| names.contains(needed)).collect()
    };
    packages.iter().map(|package| (name(package), needed(package))).collect()
}

fn page() -> String {
    std::fs::read_to_string(run::root().join("docs/architecture.md")).unwrap()
}

/// The crates that a text names, in order.
fn named<'t>(crates: &'t Crates, text: &'t str) -> impl Iterator<Item = &'t str> {
    let words = text.split(|letter: char| !(letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-'));
    words.filter(|word| crates.contains_key(*word))
}

fn is_backend(name: &str) -> bool {
    name.starts_with("backend-") || name == "gpu-runtime"
}

#[test]
fn crates_depend_on_lower_floors_alone() {
    let (crates, page) = (crates(), page());
    let picture = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let drawn: BTreeSet<&str> = named(&crates, picture).collect();
    let missing: Vec<&String> = crates.keys().filter(|name| !drawn.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "not in the picture: {missing:?}");

    let floors = picture.lines().filter(|line| !line.trim_start().starts_with("tests:")).enumerate();
    let on_floors = floors.flat_map(|(floor, line)| named(&crates, line).map(move |name| (name, floor)));
    let on_floors: BTreeMap<&str, usize> = on_floors.filter(|(name, _)| !is_backend(name)).collect();
    let contract = on_floors["gpu-hal"];
    for (name, floor) in &on_floors {
        for needed in &crates[*name] {
            let is_allowed = match *name {
                "sdk" => is_backend(needed),
                "cli" => ["adversary", "adversary-cairo", "backend-cuda"].contains(&needed.as_str()),
                _ => false,
            };
            let is_lower = on_floors.get(needed.as_str()).is_some_and(|lower| lower > floor);
            assert!(is_lower || is_allowed, "{name} depends on {needed}, which is on no lower floor");
        }
    }
    for backend in crates.keys().filter(|name| is_backend(name)) {
        for needed in &crates[backend] {
            let is_below = on_floors.get(needed.as_str()).is_some_and(|floor| *floor >= contract);
            assert!(is_below || is_backend(needed), "{backend} depends on {needed}, which is above the contract");
        }
    }
}

#[test]
fn the_table_lists_dependencies() {
    let (crates, page) = (crates(), page());
    let mut listed = BTreeSet::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let Some(name) = named(&crates, cells[0]).next() else { continue };
        let cell = cells[cells.len() - 1];
        let said: BTreeSet<String> = named(&crates, cell).map(str::to_owned).collect();
        let needs = &crates[name];
        if cell.contains("below them") || cell.contains("depends on") {
            let below = closure(&crates, said);
            let unsaid: Vec<_> = needs.difference(&below).collect();
            assert!(unsaid.is_empty(), "{name} depends on {unsaid:?}, too");
        } else {
            assert_eq!(*needs, said, "{name}");
        }
        assert!(listed.insert(name.to_owned()), "{name} has two rows");
    }
    let unlisted: Vec<&String> = crates.keys().filter(|name| !listed.contains(*name)).collect();
    assert!(unlisted.is_empty(), "no row of the table: {unlisted:?}");
}

/// Some crates and all that they depend on.
fn closure(crates: &Crates, of: BTreeSet<String>) -> BTreeSet<String> {
    let mut open: Vec<String> = of.into_iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(name) = open.pop() {
        if !reached.contains(&name) {
            open.extend(crates[&name].iter().cloned());
            reached.insert(name);
        }
    }
    reached
}
