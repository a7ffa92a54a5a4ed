//! Modules of a crate, read from its files: names that each one defines, imports, paths that it names. The words come
//! from a lexer, so that comments and texts are none, and paths in macros are found, too. Code that only tests compile
//! is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Where files are read from.
pub(super) type Files<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// A meaning of a name in a module.
#[derive(Clone, Debug)]
pub(super) enum Name {
    Defined,
    Module(usize),
    Import(Vec<String>),
}

/// An import: `public` where it is one for others as well.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    pub(super) name: String,
    pub(super) public: bool,
}

#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) file: usize,
    pub(super) parent: Option<usize>,
    pub(super) names: BTreeMap<String, Vec<Name>>,
    pub(super) imports: Vec<Import>,
    /// Modules all of whose names are imported.
    pub(super) globs: Vec<Vec<String>>,
    /// Paths of two names or more in the code.
    pub(super) paths: BTreeSet<Vec<String>>,
    /// Names with which a path in the code begins.
    pub(super) words: BTreeSet<String>,
    /// Names of called macros.
    pub(super) calls: BTreeSet<String>,
}

/// A crate. The first module is its root.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) files: Vec<PathBuf>,
    pub(super) modules: Vec<Module>,
    /// Modules that define a macro by example of a name.
    pub(super) macros: BTreeMap<String, Vec<usize>>,
}

/// The place of a module's code.
#[derive(Clone)]
struct Place {
    module: usize,
    /// Folder of its modules' files.
    folder: PathBuf,
    /// Code outside of functions and of types.
    items: bool,
}

impl Source {
    /// Reads the crate whose root is a file.
    pub(super) fn read(files: Files, root: &Path) -> Result<Self, String> {
        let mut source = Self::default();
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        source.file(files, root, folder, None)?;
        Ok(source)
    }

    /// Reads a module's file.
    fn file(&mut self, files: Files, path: &Path, folder: PathBuf, parent: Option<usize>) -> Result<usize, String> {
        let text = files(path).ok_or_else(|| format!("{}: no such file", path.display()))?;
        let tokens: TokenStream = text.parse().map_err(|error| format!("{}: {error}", path.display()))?;
        self.files.push(path.to_owned());
        let module = self.module(self.files.len() - 1, parent);
        self.tokens(files, tokens, &Place { module, folder, items: true })?;
        Ok(module)
    }

    fn module(&mut self, file: usize, parent: Option<usize>) -> usize {
        self.modules.push(Module { file, parent, ..Module::default() });
        self.modules.len() - 1
    }

    fn name(&mut self, place: &Place, name: &str, meaning: Name) {
        self.modules[place.module].names.entry(name.to_owned()).or_default().push(meaning);
    }

    fn tokens(&mut self, files: Files, tokens: TokenStream, place: &Place) -> Result<(), String> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut path = None;
        let mut at = 0;
        while at < tokens.len() {
            let here = &tokens[at..];
            if let Some((inner, attribute)) = attribute(here) {
                at += if inner { 3 } else { 2 };
                match (for_tests(&attribute), inner) {
                    (true, true) => return Ok(()),
                    (true, false) => at += item(&tokens[at..]),
                    _ => path = path_of(&attribute).or(path),
                }
                continue;
            }
            at += match &here[0] {
                TokenTree::Group(group) => {
                    let items = place.items && called(&tokens[..at]);
                    self.tokens(files, group.stream(), &Place { items, ..place.clone() })?;
                    1
                }
                TokenTree::Ident(word) => match word.to_string().as_str() {
                    "mod" => self.declared(files, here, place, path.take())?,
                    "use" if !is_punct(here.get(1), '<') => {
                        let end = here.iter().position(|token| is_punct(Some(token), ';')).unwrap_or(here.len());
                        self.import(&here[1..end], &[], place, is_public(&tokens[..at]));
                        end
                    }
                    word => self.word(&tokens, at, word, place),
                },
                _ => 1,
            };
        }
        Ok(())
    }

    /// A declared module; answers how many tokens were read.
    fn declared(
        &mut self,
        files: Files,
        here: &[TokenTree],
        place: &Place,
        path: Option<String>,
    ) -> Result<usize, String> {
        let (Some(TokenTree::Ident(name)), Some(body)) = (here.get(1), here.get(2)) else { return Ok(1) };
        let name = name.to_string();
        let folder = place.folder.join(&name);
        let module = if let TokenTree::Group(group) = body {
            let module = self.module(self.modules[place.module].file, Some(place.module));
            self.tokens(files, group.stream(), &Place { module, folder, items: true })?;
            module
        } else {
            let own = |path: &str| {
                let file = self.files[self.modules[place.module].file].parent().unwrap_or(Path::new("")).join(path);
                (file.clone(), file.parent().unwrap_or(Path::new("")).to_owned())
            };
            let (file, folder) = match path {
                Some(path) => own(&path),
                None if files(&folder.join("mod.rs")).is_some() => (folder.join("mod.rs"), folder),
                None => (folder.with_extension("rs"), folder),
            };
            self.file(files, &file, folder, Some(place.module))?
        };
        self.name(place, &name, Name::Module(module));
        Ok(3)
    }

    /// The tree of an import.
    fn import(&mut self, tree: &[TokenTree], before: &[String], place: &Place, public: bool) {
        let mut path = before.to_vec();
        let mut name = None;
        for (at, token) in tree.iter().enumerate() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    name = tree.get(at + 1).map(ToString::to_string);
                    break;
                }
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    return self.modules[place.module].globs.push(path);
                }
                TokenTree::Group(group) => {
                    let group: Vec<TokenTree> = group.stream().into_iter().collect();
                    for tree in group.split(|token| is_punct(Some(token), ',')).filter(|tree| !tree.is_empty()) {
                        self.import(tree, &path, place, public);
                    }
                    return;
                }
                _ => {}
            }
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let Some(name) = name.or_else(|| path.last().cloned()) else { return };
        self.name(place, &name, Name::Import(path.clone()));
        self.modules[place.module].imports.push(Import { path, name, public });
    }

    /// A word of the code: the name that it defines, or the path that begins with it. Answers how many tokens were
    /// read.
    fn word(&mut self, tokens: &[TokenTree], at: usize, word: &str, place: &Place) -> usize {
        let here = &tokens[at..];
        if word == "macro_rules" && is_punct(here.get(1), '!') {
            if let Some(TokenTree::Ident(name)) = here.get(2) {
                self.macros.entry(name.to_string()).or_default().push(place.module);
            }
            return 3;
        }
        let before = |back: usize, punct: char| at >= back && is_punct(tokens.get(at - back), punct);
        if let Some(name) = defined(here).filter(|_| !before(1, '<') && !before(1, ',')) {
            if place.items {
                self.name(place, &name, Name::Defined);
            }
            return if name == word { 1 } else { 2 };
        }
        let mut path = vec![word.to_owned()];
        let mut end = 1;
        while let [TokenTree::Punct(one), TokenTree::Punct(two), TokenTree::Ident(next), ..] = &here[end..] {
            if one.as_char() != ':' || two.as_char() != ':' {
                break;
            }
            path.push(next.to_string());
            end += 3;
        }
        let field = before(1, '.') && !before(2, '.');
        let inside = before(1, ':') && before(2, ':');
        let label = end == 1 && is_punct(here.get(1), ':') && !is_punct(here.get(2), ':');
        if !(field || inside || label || before(1, '\'')) {
            let module = &mut self.modules[place.module];
            module.words.insert(word.to_owned());
            if end > 1 {
                module.paths.insert(path);
            } else if is_punct(here.get(1), '!') {
                module.calls.insert(word.to_owned());
            }
        }
        end
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

/// The attribute that tokens begin with, and whether it is one of the module around it.
fn attribute(tokens: &[TokenTree]) -> Option<(bool, Vec<TokenTree>)> {
    let inner = is_punct(tokens.get(1), '!');
    match tokens.get(if inner { 2 } else { 1 }) {
        Some(TokenTree::Group(group)) if is_punct(tokens.first(), '#') && group.delimiter() == Delimiter::Bracket => {
            Some((inner, group.stream().into_iter().collect()))
        }
        _ => None,
    }
}

/// Whether an attribute keeps code for tests alone: `cfg(test)`, or `cfg(all(…))` with `test`.
fn for_tests(attribute: &[TokenTree]) -> bool {
    let [TokenTree::Ident(word), TokenTree::Group(group), ..] = attribute else { return false };
    let within: Vec<TokenTree> = group.stream().into_iter().collect();
    let test = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "test");
    (word == "cfg" || word == "all")
        && (within.iter().any(test) || (0..within.len()).any(|at| for_tests(&within[at..])))
}

/// The file that an attribute names.
fn path_of(attribute: &[TokenTree]) -> Option<String> {
    match attribute {
        [TokenTree::Ident(word), _, TokenTree::Literal(text)] if word == "path" => {
            Some(text.to_string().trim_matches('"').to_owned())
        }
        _ => None,
    }
}

/// How many tokens the item, field, arm or statement is that tokens begin with.
fn item(tokens: &[TokenTree]) -> usize {
    let word = |token: &TokenTree, words: &[&str]| match token {
        TokenTree::Ident(word) => words.contains(&word.to_string().as_str()),
        _ => false,
    };
    let mut at = 0;
    while attribute(&tokens[at..]).is_some() {
        at += 2;
    }
    let begin = tokens[at..].iter().find(|token| !word(token, &["pub"]) && !matches!(token, TokenTree::Group(_)));
    let to_semicolon = begin.is_some_and(|token| word(token, &["use", "const", "static", "type", "let"]));
    let is_item = ["fn", "unsafe", "async", "extern", "impl", "mod", "struct", "enum", "union", "trait", "macro_rules"];
    let is_item = begin.is_some_and(|token| word(token, &is_item));
    let const_fn = tokens[at..].windows(2).find(|two| word(&two[0], &["const"]));
    let const_fn = const_fn.is_some_and(|two| word(&two[1], &["fn", "unsafe"]));
    let last = |token: &TokenTree| {
        let body = matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        is_punct(Some(token), ';')
            || (body && (!to_semicolon || const_fn))
            || (!to_semicolon && !is_item && is_punct(Some(token), ','))
    };
    tokens[at..].iter().position(last).map_or(tokens.len(), |end| at + end + 1)
}

/// Whether tokens end in a macro's call, whose arguments may be items.
fn called(before: &[TokenTree]) -> bool {
    is_punct(before.last(), '!')
}

/// Whether the item after these tokens is one for others.
fn is_public(before: &[TokenTree]) -> bool {
    let visible = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Ident(word)) if word == "pub");
    match before {
        [.., one, TokenTree::Group(_)] => visible(Some(one)),
        _ => visible(before.last()),
    }
}

/// The name that an item defines.
fn defined(here: &[TokenTree]) -> Option<String> {
    let TokenTree::Ident(word) = here.first()? else { return None };
    let words = ["struct", "enum", "union", "trait", "type", "const", "static", "fn"];
    let not_names = ["fn", "unsafe", "async", "extern", "mut", "_"];
    match here.get(1)? {
        TokenTree::Ident(name) if words.contains(&word.to_string().as_str()) => {
            Some(name.to_string()).filter(|name| !not_names.contains(&name.as_str()))
        }
        _ => None,
    }
}
