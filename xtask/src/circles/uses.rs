//! The files that a file uses: each name is followed through imports to the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Module, Name, Source};

/// A meaning of a path: an item in a file, a module, or an item of another crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    File(usize),
    Module(usize),
    Foreign,
}

/// Names that are being followed, since imports may go in circles.
type Open = BTreeSet<(usize, String)>;

/// For each two files, by their places in [`Source::files`], of which the first uses the second: the paths with which
/// it does.
pub(super) fn uses(source: &Source) -> BTreeMap<(usize, usize), BTreeSet<String>> {
    let mut uses: BTreeMap<(usize, usize), BTreeSet<String>> = BTreeMap::new();
    for (id, module) in source.modules.iter().enumerate() {
        let mut add = |path: &[String], targets: BTreeSet<Target>| {
            for target in targets {
                if let Target::File(file) = target
                    && file != module.file
                {
                    uses.entry((module.file, file)).or_default().insert(path.join("::"));
                }
            }
        };
        // Others may need an import for others alone.
        let needed = module.imports.iter().filter(|import| !import.public || module.words.contains(&import.name));
        for path in needed.map(|import| &import.path).chain(&module.paths) {
            add(path, source.resolve(id, path, &mut Open::new()));
        }
        for glob in &module.globs {
            for word in &module.words {
                let path: Vec<String> = glob.iter().chain([word]).cloned().collect();
                add(&path, source.through(id, glob, word, &mut Open::new()));
            }
        }
        for name in &module.calls {
            let macros = source.macros_of(name);
            // A file's own hides those of others.
            if !macros.contains(&Target::File(module.file)) && source.look_up(id, name, &mut Open::new()).is_empty() {
                add(std::slice::from_ref(name), macros);
            }
        }
    }
    uses
}

impl Source {
    /// The targets that a path means in a module.
    fn resolve(&self, module: usize, path: &[String], open: &mut Open) -> BTreeSet<Target> {
        let Some((first, rest)) = path.split_first() else { return BTreeSet::new() };
        let above = |module: usize| self.modules[module].parent.unwrap_or(0);
        let begin = match first.as_str() {
            "crate" => BTreeSet::from([Target::Module(0)]),
            "self" => BTreeSet::from([Target::Module(module)]),
            "super" => BTreeSet::from([Target::Module(above(module))]),
            name => self.look_up(module, name, open),
        };
        rest.iter().fold(begin, |mut targets, name| {
            // A function may have a module's name.
            if targets.iter().any(|target| matches!(target, Target::Module(_))) {
                targets.retain(|target| matches!(target, Target::Module(_)));
            }
            let step = |target| match target {
                Target::Module(module) if name == "super" => BTreeSet::from([Target::Module(above(module))]),
                Target::Module(module) => {
                    let found = self.look_up(module, name, open);
                    // A macro may have made what nothing declares.
                    let is_made = found.is_empty() && !open.contains(&(module, name.clone()));
                    if is_made { BTreeSet::from([Target::File(self.modules[module].file)]) } else { found }
                }
                other => BTreeSet::from([other]),
            };
            targets.into_iter().flat_map(step).collect()
        })
    }

    /// The targets that a name means in a module; none if the module has no such name.
    fn look_up(&self, id: usize, name: &str, open: &mut Open) -> BTreeSet<Target> {
        if !open.insert((id, name.to_owned())) {
            return BTreeSet::new();
        }
        let module: &Module = &self.modules[id];
        let mut found = BTreeSet::new();
        for meaning in module.names.get(name).into_iter().flatten() {
            match meaning {
                Name::Defined => drop(found.insert(Target::File(module.file))),
                Name::Module(module) => drop(found.insert(Target::Module(*module))),
                Name::Import(path) => {
                    let targets = self.resolve(id, path, open);
                    found.extend(if targets.is_empty() { BTreeSet::from([Target::Foreign]) } else { targets });
                }
            }
        }
        if found.is_empty() {
            found = module.globs.iter().flat_map(|glob| self.through(id, glob, name, open)).collect();
        }
        if found.is_empty() && id == 0 {
            found = self.macros_of(name);
        }
        open.remove(&(id, name.to_owned()));
        found
    }

    /// The targets that a name means in the modules all of whose names a path imports.
    fn through(&self, id: usize, glob: &[String], name: &str, open: &mut Open) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        for target in self.resolve(id, glob, open) {
            if let Target::Module(module) = target {
                found.extend(self.look_up(module, name, open));
            }
        }
        found
    }

    /// The files that define a macro by example.
    fn macros_of(&self, name: &str) -> BTreeSet<Target> {
        let modules = self.macros.get(name).into_iter().flatten();
        modules.map(|module| Target::File(self.modules[*module].file)).collect()
    }
}
