//! Packages of a Scarb workspace, and the one that a command is about.

use clap::Args;
use serde::Deserialize;

use super::variable;

/// The package.
#[derive(Args)]
pub(super) struct PackageArguments {
    /// The packages: names, beginnings of names with * behind them, or * for the current one
    /// [default: SCARB_PACKAGES_FILTER, or else *]
    #[arg(short, long, value_delimiter = ',', value_name = "SPEC")]
    package: Vec<String>,
    /// All packages of the workspace
    #[arg(short, long, conflicts_with = "package")]
    workspace: bool,
    /// Packages to leave out
    #[arg(long, value_delimiter = ',', value_name = "SPEC", requires = "workspace", conflicts_with = "package")]
    exclude: Vec<String>,
}

/// A workspace, as `scarb metadata` describes it. There is more in the description.
#[derive(Deserialize)]
pub(super) struct Metadata {
    packages: Vec<Package>,
    workspace: Workspace,
    #[serde(default)]
    runtime_manifest: String,
}

#[derive(Deserialize)]
struct Workspace {
    manifest_path: String,
    members: Vec<String>,
}

/// A package.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Package {
    id: String,
    pub(super) name: String,
    manifest_path: String,
}

/// A specification of packages.
enum Spec {
    All,
    /// The beginning of the names.
    Prefix(String),
    Name(String),
}

impl Spec {
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match text.find('*') {
            None => Ok(Self::Name(text.to_owned())),
            Some(0) if text.len() == 1 => Ok(Self::All),
            Some(at) if at + 1 == text.len() => Ok(Self::Prefix(text[..at].to_owned())),
            Some(_) => Err("invalid package spec: only `prefix*` patterns are allowed".to_owned()),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Prefix(prefix) => name.starts_with(prefix),
            Self::Name(wanted) => name == wanted,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::All => "*".to_owned(),
            Self::Prefix(prefix) => format!("{prefix}*"),
            Self::Name(name) => name.clone(),
        }
    }
}

impl PackageArguments {
    /// The package that is meant: the current one, or else the only one that the specifications match.
    pub(super) fn one(&self, metadata: &Metadata) -> Result<Package, String> {
        let of_environment = || variable("SCARB_PACKAGES_FILTER").filter(|_| !self.workspace);
        let given = match &self.package[..] {
            [] => of_environment()
                .map_or_else(|| vec!["*".to_owned()], |list| list.split(',').map(str::to_owned).collect()),
            given => given.to_vec(),
        };
        let specs: Vec<Spec> = given.iter().map(|spec| Spec::parse(spec)).collect::<Result<_, _>>()?;
        let is_all = specs.iter().any(|spec| matches!(spec, Spec::All));
        let members: Vec<&Package> =
            metadata.packages.iter().filter(|package| metadata.workspace.members.contains(&package.id)).collect();
        if is_all && !self.workspace {
            let manifest = match &metadata.runtime_manifest[..] {
                "" => metadata.workspace.manifest_path.as_str(),
                manifest => manifest,
            };
            if let Some(current) = members.iter().find(|package| package.manifest_path == *manifest) {
                return Ok((*current).clone());
            }
        }
        if (self.workspace || is_all) && members.len() > 1 {
            return Err("could not determine which package to work on\n\
                        help: use the `--package` option to specify the package"
                .to_owned());
        }
        if !self.exclude.is_empty() {
            return Err("`--exclude` is not supported in a context that requires a single package selection".to_owned());
        }
        let text = specs.iter().map(Spec::text).collect::<Vec<_>>().join(",");
        let found: Vec<&Package> = members
            .iter()
            .filter(|package| self.workspace || specs.iter().any(|spec| spec.matches(&package.name)))
            .copied()
            .collect();
        match (&found[..], &specs[..]) {
            ([one], _) => Ok((*one).clone()),
            ([], _) if members.is_empty() => Err("workspace has no members".to_owned()),
            ([], [Spec::Name(name)]) => Err(format!("package `{name}` not found in workspace")),
            ([], _) => Err(format!("no workspace members match `{text}`")),
            _ => Err(format!(
                "workspace has multiple members matching `{text}`\n\
                 help: use the `--package` option to specify single package"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace of these packages, with one of them or none as the current one.
    fn metadata(names: &[&str], current: &str) -> Metadata {
        let path = |name: &str| format!("/w/{name}/Scarb.toml");
        let package =
            |name: &&str| Package { id: format!("{name} 0.1.0"), name: (*name).into(), manifest_path: path(name) };
        Metadata {
            packages: names.iter().chain(&["core"]).map(package).collect(),
            workspace: Workspace {
                manifest_path: "/w/Scarb.toml".into(),
                members: names.iter().map(|name| format!("{name} 0.1.0")).collect(),
            },
            runtime_manifest: path(current),
        }
    }

    fn one(package: &[&str], workspace: bool, of: &Metadata) -> Result<String, String> {
        let package = package.iter().map(|spec| (*spec).to_owned()).collect();
        PackageArguments { package, workspace, exclude: Vec::new() }.one(of).map(|package| package.name)
    }

    #[test]
    fn one_package_is_meant() {
        let two = metadata(&["hello", "helper"], "helper");
        assert_eq!(one(&["*"], false, &two).unwrap(), "helper");
        assert_eq!(one(&["hello"], false, &two).unwrap(), "hello");
        assert_eq!(one(&["hello*"], false, &two).unwrap(), "hello");
        assert!(one(&["hel*"], false, &two).unwrap_err().contains("multiple members matching `hel*`"));
        assert!(one(&["core"], false, &two).unwrap_err().contains("package `core` not found"));
        assert!(one(&["x*"], false, &two).unwrap_err().contains("no workspace members match `x*`"));
        assert!(one(&["h*o"], false, &two).unwrap_err().contains("prefix*"));
        assert!(one(&[], true, &two).unwrap_err().contains("could not determine"));
        let virtual_one = metadata(&["only"], "none");
        assert_eq!(one(&["*"], false, &virtual_one).unwrap(), "only");
        assert_eq!(one(&[], true, &virtual_one).unwrap(), "only");
    }
}
