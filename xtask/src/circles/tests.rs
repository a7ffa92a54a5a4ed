use std::path::Path;

use super::{circles, judged};

/// The circles of a crate of these files.
fn of(files: &[(&str, &str)]) -> String {
    let read = |path: &Path| files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned());
    circles(&read, Path::new("lib.rs")).unwrap().0
}

#[test]
fn two_and_three_files_in_a_circle_are_found() {
    let two = of(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::B;\npub struct A(B);"),
        ("b.rs", "pub struct B;\nfn f(_: super::a::A) {}"),
    ]);
    assert_eq!(two, "2 files:\n  a.rs uses b.rs: crate::b::B\n  b.rs uses a.rs: super::a::A\n");
    let three = of(&[
        ("lib.rs", "pub mod a; mod b; mod c;"),
        ("a/mod.rs", "mod deep;\nuse super::b;\npub fn f() { b::g(); deep::h() }"),
        ("a/deep.rs", "pub fn h() {}"),
        ("b.rs", "pub fn g() { use crate::c::*; run!(C); }"),
        ("c.rs", "pub const C: u8 = 1;\nfn h() { crate::a::f() }"),
    ]);
    assert_eq!(three.matches(" uses ").count(), 3, "{three}");
    assert!(three.contains("  b.rs uses c.rs: crate::c::C\n"), "{three}");
}

#[test]
fn imports_for_others_are_seen_through() {
    let root =
        "mod a; mod b { pub(crate) mod inner; pub(crate) use inner::{B as Renamed, self as whole}; }\npub use a::*;";
    let b = "pub struct B;\npub fn f() {}";
    let forth = ("a.rs", "use crate::b::Renamed;\npub struct A(Renamed);");
    assert_eq!(of(&[("lib.rs", root), forth, ("b/inner.rs", b)]), "");
    let back = of(&[("lib.rs", root), forth, ("b/inner.rs", "pub struct B;\npub fn f(_: crate::A) {}")]);
    assert_eq!(back, "2 files:\n  a.rs uses b/inner.rs: crate::b::Renamed\n  b/inner.rs uses a.rs: crate::A\n");
    let module = ("a.rs", "use crate::b::whole;\npub struct A;\nfn f() { whole::f() }");
    assert!(of(&[("lib.rs", root), module, ("b/inner.rs", "pub fn f(_: crate::A) {}")]).starts_with("2 files:"));
}

#[test]
fn a_file_that_only_declares_and_imports_for_others_uses_none() {
    let b = ("b.rs", "use super::helper;\npub fn f() { helper() }");
    assert_eq!(of(&[("lib.rs", "mod b;\npub use b::f;\nfn helper() {}"), b]), "");
    assert!(of(&[("lib.rs", "mod b;\npub use b::f;\nfn helper() { f() }"), b]).starts_with("2 files:"));
}

#[test]
fn tests_may_use_anything() {
    let b = ("b.rs", "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }\n#[cfg(test)]\nuse crate::a::{A};");
    assert_eq!(
        of(&[("lib.rs", "mod a; mod b;\n#[cfg(test)]\nmod missing;"), ("a.rs", "pub struct A(super::b::B);"), b]),
        ""
    );
    let all = (
        "b.rs",
        "pub struct B;\n#[cfg(all(test, unix))]\nfn f(a: crate::a::A) {}\n// crate::a::A\nconst C: &str = \"crate::a::A\";",
    );
    assert_eq!(of(&[("lib.rs", "mod a; mod b;"), ("a.rs", "pub struct A(super::b::B);"), all]), "");
    let not = ("b.rs", "pub struct B;\n#[cfg(not(test))]\nfn f(a: crate::a::A) {}");
    assert!(of(&[("lib.rs", "mod a; mod b;"), ("a.rs", "pub struct A(super::b::B);"), not]).starts_with("2 files:"));
}

#[test]
fn macros_are_uses_of_the_file_that_defines_them() {
    let root = ("lib.rs", "#[macro_use]\nmod a;\nmod b;");
    let a = ("a.rs", "macro_rules! make { ($x:ident) => { fn $x(_: $crate::b::B) {} } }");
    assert!(of(&[root, a, ("b.rs", "pub struct B;\nmake!(f);")]).starts_with("2 files:"));
}

#[test]
fn numbers_of_exceptions_only_shrink() {
    let of = |count| judged(Path::new("crates/a"), count, 3, "a.rs uses b.rs\n");
    assert_eq!(of(3), "");
    assert_eq!(of(4), "crates/a: 4 files on circles, at most 3:\na.rs uses b.rs\n");
    assert!(of(2).contains("write that into LEFT"));
}

#[test]
fn names_that_come_with_all_of_a_module_are_seen_through() {
    let root = ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::*;\npub use b::*;\npub use c::*;");
    let b = ("b.rs", "use crate::LIMIT;\npub fn f() -> u8 { LIMIT }");
    assert_eq!(of(&[root, ("a.rs", "pub fn g() { crate::f(); }"), b, ("c.rs", "pub const LIMIT: u8 = 1;")]), "");
    let back = ("c.rs", "pub const LIMIT: u8 = 1;\nuse super::*;\nfn h() { f(); }");
    assert!(of(&[root, ("a.rs", ""), b, back]).starts_with("2 files:"));
}
