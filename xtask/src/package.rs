//! The packages to publish: every one is made, and its contents are checked without the repository around it.

use std::path::Path;

use serde_json::Value;

use crate::run;

/// The page that registries show with each package.
const LIST: &str = "crates/README.md";

/// The row of a package in that page.
fn row(package: &Value) -> String {
    let [name, description] = ["name", "description"].map(|key| text(&package[key]));
    format!("| [`{name}`](https://docs.rs/{name}) | {description} |")
}

/// Checks the manifests, packs, and compiles the packages.
pub(crate) fn all() -> crate::Result {
    let metadata = run::output(&["metadata", "--no-deps", "--format-version", "1"])?.stdout;
    let metadata: Value = serde_json::from_slice(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    // An empty list of registries is `publish = false`.
    let (private, published): (Vec<&Value>, Vec<_>) =
        packages.iter().partition(|package| package["publish"].is_array());
    let list = std::fs::read_to_string(run::root().join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    let faults: Vec<String> = published.iter().flat_map(|package| faults(package, &list)).collect();
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let excluded = private.iter().filter_map(|package| package["name"].as_str()).flat_map(|name| ["--exclude", name]);
    let package = ["package", "--workspace", "--quiet", "--allow-dirty", "--no-verify"];
    run::cargo(&package.into_iter().chain(excluded).collect::<Vec<_>>())?;
    let packed = Path::new(text(&metadata["target_directory"])).join("package");
    let folders: Vec<String> =
        published.iter().map(|package| format!("{}-{}", text(&package["name"]), text(&package["version"]))).collect();
    check(&packed, &folders)
}

/// Unpacks the packages into a workspace of their own, and compiles it. Cargo's own verification keeps unpacked sources
/// by version: the next time it would see the sources of the first.
fn check(packed: &Path, folders: &[String]) -> crate::Result {
    let fail = |error: std::io::Error| format!("{}: {error}", packed.display());
    let workspace = packed.join("unpacked");
    if workspace.exists() {
        std::fs::remove_dir_all(&workspace).map_err(fail)?;
    }
    std::fs::create_dir_all(&workspace).map_err(fail)?;
    let mut patches = String::new();
    for folder in folders {
        let archive = packed.join(format!("{folder}.crate"));
        run::program("tar", &["-xzf", &archive.to_string_lossy(), "-C", &workspace.to_string_lossy()], &[])?;
        let (name, _) = folder.rsplit_once('-').unwrap_or((folder, ""));
        patches += &format!("{name} = {{ path = \"{folder}\" }}\n");
    }
    // The same profiles and versions, so that builds of the repository serve here, too.
    let manifest = std::fs::read_to_string(run::root().join("Cargo.toml")).map_err(fail)?;
    let profiles = manifest.find("\n[profile.").map_or("", |at| &manifest[at..]);
    let manifest =
        format!("[workspace]\nresolver = \"3\"\nmembers = [\"*-*\"]\n\n[patch.crates-io]\n{patches}{profiles}");
    std::fs::write(workspace.join("Cargo.toml"), manifest).map_err(fail)?;
    std::fs::copy(run::root().join("Cargo.lock"), workspace.join("Cargo.lock")).map_err(fail)?;
    let manifest = workspace.join("Cargo.toml");
    let target = packed.parent().unwrap_or(packed);
    let folders = ["--manifest-path", &manifest.to_string_lossy(), "--target-dir", &target.to_string_lossy()];
    run::cargo(&[&["check", "--workspace"], &folders[..]].concat())
}

/// The text of a value, or nothing.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Facts that a package lacks for a registry and its readers, with the page that lists all.
fn faults(package: &Value, list: &str) -> Vec<String> {
    let name = text(&package["name"]);
    let folder = Path::new(text(&package["manifest_path"])).parent();
    let is_empty = |key: &str| match &package[key] {
        Value::Array(list) => list.is_empty(),
        value => value.is_null(),
    };
    let mut faults = Vec::new();
    for key in ["description", "license", "readme", "rust_version", "keywords", "categories"] {
        if is_empty(key) {
            faults.push(format!("{name}: no {key} in Cargo.toml"));
        }
    }
    if !name.starts_with("polystark") {
        faults.push(format!("{name}: the name must begin with polystark"));
    }
    if !list.contains(&row(package)) {
        faults.push(format!("{name}: no row in {LIST}: {}", row(package)));
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        if !folder.is_some_and(|folder| folder.join(file).exists()) {
            faults.push(format!("{name}: no {file}: link it to the repository's"));
        }
    }
    let ours =
        package["dependencies"].as_array().into_iter().flatten().filter(|dependency| dependency["path"].is_string());
    for dependency in ours {
        let (is_dev, is_any) = (dependency["kind"] == "dev", dependency["req"] == "*");
        if is_dev != is_any {
            let rule = "ours have a version, those of tests have a path alone, since they go in circles";
            faults.push(format!("{name}: dependency {}: {rule}", dependency["name"]));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::faults;

    #[test]
    fn what_a_package_lacks_is_named() {
        let manifest = crate::run::root().join("crates/field/Cargo.toml");
        let mut package = json!({
            "name": "polystark-x", "manifest_path": manifest, "description": "x", "license": "MIT", "readme": "README.md",
            "rust_version": "1.95", "keywords": ["x"], "categories": ["x"],
            "dependencies": [
                {"name": "a", "path": "/a", "kind": null, "req": "^0.1.0"},
                {"name": "b", "path": "/b", "kind": "dev", "req": "*"},
                {"name": "c", "kind": "dev", "req": "^1"},
            ],
        });
        let list = "| [`polystark-x`](https://docs.rs/polystark-x) | x |\n";
        assert_eq!(faults(&package, list), [""; 0]);
        assert!(faults(&package, "")[0].contains("no row"));
        package["name"] = json!("x");
        package["keywords"] = json!([]);
        package["description"] = json!(null);
        package["manifest_path"] = json!("/nowhere/Cargo.toml");
        package["dependencies"][0]["req"] = json!("*");
        package["dependencies"][1]["req"] = json!("^0.1.0");
        let found = faults(&package, list).join("\n");
        for fault in ["no description", "no keywords", "polystark", "LICENSE-MIT", "LICENSE-APACHE", "\"a\"", "\"b\""] {
            assert!(found.contains(fault), "{fault}: {found}");
        }
        assert_eq!(found.lines().count(), 8, "{found}");
    }
}
