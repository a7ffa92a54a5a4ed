//! What would be published: every package is made, and built as it was packed, without the repository around it.

use serde_json::Value;

use crate::run;

/// Checks the manifests, then packs and builds.
pub(crate) fn all() -> crate::Result {
    let metadata = run::output(&["metadata", "--no-deps", "--format-version", "1"])?.stdout;
    let metadata: Value = serde_json::from_slice(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    // An empty list of registries is `publish = false`.
    let (private, published): (Vec<&Value>, Vec<_>) =
        packages.iter().partition(|package| package["publish"].is_array());
    let faults: Vec<String> = published.iter().flat_map(|package| faults(package)).collect();
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let excluded = private.iter().filter_map(|package| package["name"].as_str()).flat_map(|name| ["--exclude", name]);
    let arguments: Vec<&str> =
        ["package", "--workspace", "--quiet", "--allow-dirty"].into_iter().chain(excluded).collect();
    run::cargo(&arguments)
}

/// What a package lacks for a registry and for those who find it there.
fn faults(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let folder = std::path::Path::new(package["manifest_path"].as_str().unwrap_or_default()).parent();
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
