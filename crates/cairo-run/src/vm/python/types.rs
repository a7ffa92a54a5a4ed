//! The structures of a program: what stands where behind `ids.NAME`.

use std::collections::HashMap;

use cairo_vm::serde::deserialize_program::Member;
use cairo_vm::types::program::Program;

/// The structures of a program, by their full names.
pub(super) struct Types(HashMap<String, Structure>);

/// A structure.
struct Structure {
    members: HashMap<String, Member>,
    size: Option<usize>,
}

/// The place of a value that a hint reads or writes by a name: `ids.p.x`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// The variable.
    pub(super) name: String,
    /// Whether the members stand behind the variable's value, and not at its address.
    pub(super) is_behind: bool,
    /// The offset of each member in its structure; before each but the first one a pointer is followed.
    pub(super) offsets: Vec<usize>,
    /// Whether the address of what the offsets lead to is meant: `ids.p.address_`.
    pub(super) is_address: bool,
}

impl Types {
    pub(super) fn new(program: &Program) -> Self {
        let structures = program.iter_identifiers().filter_map(|(name, identifier)| {
            let members = identifier.members.clone().filter(|_| is_struct(identifier.type_.as_deref()))?;
            Some((name.to_owned(), Structure { members, size: identifier.size }))
        });
        Self(structures.collect())
    }

    /// The number of cells of a structure, `Point.SIZE`, or the offset of a member, `Point.x`, by the last part of the
    /// structure's name. None if there is no such structure, or if there are several, which do not agree.
    pub(super) fn number(&self, structure: &str, name: &str) -> Option<usize> {
        let is_named = |full: &&String| full.rsplit('.').next() == Some(structure);
        let mut numbers = self.0.iter().filter(|(full, _)| is_named(full)).map(|(_, structure)| match name {
            "SIZE" => structure.size,
            member => structure.members.get(member).map(|member| member.offset),
        });
        let first = numbers.next()??;
        numbers.all(|number| number == Some(first)).then_some(first)
    }

    /// The path of a variable of a type and of the names behind it, as far as they are members. Says how many of the
    /// names are.
    pub(super) fn path(&self, name: &str, of: &str, names: &[&str]) -> Result<(Path, usize), String> {
        let mut path = Path { name: name.to_owned(), is_behind: false, offsets: Vec::new(), is_address: false };
        let mut of = of.trim().to_owned();
        let mut used = 0;
        loop {
            let (structure, is_pointer) = match of.strip_suffix('*') {
                Some(inner) => (inner, true),
                None => (of.as_str(), false),
            };
            let Some(Structure { members, .. }) = self.0.get(structure) else {
                return match names.get(used) {
                    // A number has attributes of Python.
                    Some(name) if structure.contains('.') => {
                        Err(format!("the program does not say the members of {structure}, such as `{name}`"))
                    }
                    _ => Ok((path, used)),
                };
            };
            let follow = |path: &mut Path| match path.offsets.len() {
                0 => path.is_behind = is_pointer,
                _ if is_pointer => path.offsets.push(0),
                _ => {}
            };
            match names.get(used) {
                Some(&"address_") => {
                    follow(&mut path);
                    path.is_address = true;
                    return Ok((path, used + 1));
                }
                Some(member) => {
                    let found = members.get(*member).ok_or_else(|| format!("{structure} has no member `{member}`"))?;
                    follow(&mut path);
                    match path.offsets.last_mut() {
                        Some(last) => *last += found.offset,
                        None => path.offsets.push(found.offset),
                    }
                    of = found.cairo_type.trim().to_owned();
                    used += 1;
                }
                None if is_pointer => return Ok((path, used)),
                None => return Err(format!("it is a {structure}: name a member of it, or `address_`")),
            }
        }
    }
}

fn is_struct(kind: Option<&str>) -> bool {
    kind == Some("struct")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types() -> Types {
        let member = |cairo_type: &str, offset| Member { cairo_type: cairo_type.into(), offset };
        let point = [("x", member("felt", 0)), ("y", member("felt", 1))];
        let line = [("a", member("m.P", 0)), ("b", member("m.P", 2)), ("next", member("m.L*", 4))];
        let named = |members: &[(&str, Member)]| {
            members.iter().map(|(name, member)| ((*name).to_owned(), member.clone())).collect::<HashMap<_, _>>()
        };
        let structure = |members: &[(&str, Member)], size| Structure { members: named(members), size: Some(size) };
        let of_other = [("y", member("felt", 2)), ("x", member("felt", 0))];
        let named = [("m.P", structure(&point, 2)), ("m.L", structure(&line, 5)), ("n.P", structure(&of_other, 3))];
        Types(named.into_iter().map(|(name, structure)| (name.to_owned(), structure)).collect())
    }

    #[test]
    fn members_are_found() {
        let path = |of, names: &[&str]| {
            let (path, used) = types().path("v", of, names)?;
            Ok::<_, String>((path.is_behind, path.offsets, path.is_address, used))
        };
        assert_eq!(path("felt", &["bit_length"]), Ok((false, vec![], false, 0)));
        assert_eq!(path("m.P", &["y"]), Ok((false, vec![1], false, 1)));
        assert_eq!(path("m.P*", &["y"]), Ok((true, vec![1], false, 1)));
        assert_eq!(path("m.L", &["b", "y", "bit_length"]), Ok((false, vec![3], false, 2)));
        assert_eq!(path("m.L*", &["next", "next", "b", "x"]), Ok((true, vec![4, 4, 2], false, 4)));
        assert_eq!(path("m.L*", &["next"]), Ok((true, vec![4], false, 1)));
        assert_eq!(path("m.L", &["b", "address_"]), Ok((false, vec![2], true, 2)));
        assert_eq!(path("m.L*", &["next", "address_"]), Ok((true, vec![4, 0], true, 2)));
        assert_eq!(path("m.P*", &["address_"]), Ok((true, vec![], true, 1)));
        assert!(path("m.Q", &["z"]).is_err_and(|error| error.contains("does not say the members of m.Q")));
        assert!(path("m.P", &[]).is_err_and(|error| error.contains("name a member")));
        assert!(path("m.P", &["z"]).is_err_and(|error| error.contains("no member `z`")));
    }

    #[test]
    fn sizes_and_offsets_are_found_where_names_agree() {
        let number = |structure, name| types().number(structure, name);
        assert_eq!((number("L", "SIZE"), number("L", "b"), number("L", "c")), (Some(5), Some(2), None));
        // Two structures have this name.
        assert_eq!((number("P", "x"), number("P", "y"), number("P", "SIZE")), (Some(0), None, None));
        assert_eq!((number("Q", "SIZE"), number("m.L", "SIZE")), (None, None));
    }
}
