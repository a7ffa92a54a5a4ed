//! The toy as a shared library that the program of the repository loads.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;

use crate::{Result, run};

/// Proofs of a program that has no line of the toy's equal the processor's.
pub(crate) fn all() -> Result {
    run::cargo(&[&["build", "--lib"][..], &run::AS_TESTED].concat())?;
    let library = format!("target/debug/{DLL_PREFIX}toy_backend{DLL_SUFFIX}");
    let polystark = ["run", "-p", "polystark", "--no-default-features", "--features", "cli", "--"];
    run::cargo(&[&polystark[..], &["backends", &library]].concat())?;
    let folder = run::target_directory("toy");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for air in ["fibonacci-rap", "fibonacci"] {
        let prove = |backend: &str| {
            let file = folder.join(format!("{air}.polystark"));
            let path = file.to_str().ok_or("the target folder's path is not UTF-8")?;
            let prove = ["prove", "--air", air, "--rows", "64", "--backend", backend, "-o", path];
            run::cargo(&[&polystark[..], &prove].concat())?;
            run::cargo(&[&polystark[..], &["verify", path]].concat())?;
            fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
        };
        if prove(&library)? != prove("cpu")? {
            return Err(format!("{library} and cpu make different proofs of {air}"));
        }
    }
    Ok(())
}
