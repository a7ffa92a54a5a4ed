//! Files that replace others, links, pipes, and two names for one file.

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn save(files: &[(&Path, &[u8])]) -> Result<(), Failure> {
    let contents: Vec<&[u8]> = files.iter().map(|(_, bytes)| *bytes).collect();
    Outputs::open(files.iter().map(|(path, _)| *path))?.save(&contents)
}

#[test]
fn files_replace_what_was_there_and_leave_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    fs::write(&a, "old").unwrap();
    save(&[(&a, b"new"), (&b, b"other")]).unwrap();
    assert_eq!(fs::read(&a).unwrap(), b"new");
    assert_eq!(fs::read(&b).unwrap(), b"other");
    assert_eq!(names(folder.path()), ["a", "b"]);
}

#[test]
fn if_one_file_cannot_be_written_none_is() {
    let folder = tempfile::tempdir().unwrap();
    let (a, missing) = (folder.path().join("a"), folder.path().join("no/b"));
    fs::write(&a, "old").unwrap();
    assert!(Outputs::open([&*a, &*missing]).is_err() && Outputs::open([folder.path()]).is_err());
    assert_eq!(fs::read(&a).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a"]);
    // Dropped before anything was saved.
    drop(Outputs::open([&*a]).unwrap());
    assert_eq!(names(folder.path()), ["a"]);
}

#[test]
fn names_may_be_as_long_as_names_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let longest = folder.path().join("x".repeat(255));
    save(&[(&longest, b"new")]).unwrap();
    assert_eq!(fs::read(&longest).unwrap(), b"new");
    assert!(Outputs::open([&*folder.path().join("x".repeat(256))]).is_err());
}

/// Where the file system has no unnamed files.
#[test]
fn files_with_a_temporary_name_are_removed_or_take_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a");
    let mut temporary = Temporary::named(target.clone()).unwrap();
    let second = Temporary::named(target.clone()).unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    // Nobody takes a file that this process holds for one that was left behind.
    temporary::remove_dead(folder.path());
    assert_eq!(names(folder.path()).len(), 2);
    temporary.write(b"new").unwrap();
    temporary.persist().unwrap();
    drop(second);
    assert_eq!((names(folder.path()), fs::read(&target).unwrap()), (vec!["a".to_owned()], b"new".to_vec()));
}

#[test]
fn what_the_dead_have_left_behind_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let kept = [".polystark.tmp", ".polystark.1.0.tmp~", ".polystark.1.x.tmp", "x.polystark.1.0.tmp", "a"];
    for name in kept.iter().chain(&[".polystark.1.0.tmp", ".polystark.4194304.7.tmp"]) {
        fs::write(folder.path().join(name), "left").unwrap();
    }
    fs::create_dir(folder.path().join(".polystark.2.0.tmp")).unwrap();
    save(&[(&folder.path().join("b"), b"new")]).unwrap();
    let mut expected: Vec<&str> = kept.iter().copied().chain(["b", ".polystark.2.0.tmp"]).collect();
    expected.sort_unstable();
    assert_eq!(names(folder.path()), expected);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (a, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&a, "old").unwrap();
        symlink(&a, &link).unwrap();
        save(&[(&link, b"new"), (Path::new("/dev/null"), b"x")]).unwrap();
        assert_eq!(fs::read(&a).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_link_to_nothing_yet_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("deep/second"));
        // The first leads to the second, relative to its own folder, and the second to a missing file.
        symlink("deep/second", &first).unwrap();
        symlink("../target", &second).unwrap();
        save(&[(&first, b"new")]).unwrap();
        assert!([&first, &second].iter().all(|link| fs::symlink_metadata(link).unwrap().is_symlink()));
        assert_eq!(fs::read(folder.path().join("target")).unwrap(), b"new");
        let ring = folder.path().join("ring");
        symlink("ring", &ring).unwrap();
        assert!(Outputs::open([&*ring]).is_err());
    }

    #[test]
    fn a_file_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        for kept in [0o600, 0o640, 0o666] {
            fs::write(&file, "old").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(kept)).unwrap();
            save(&[(&file, b"new")]).unwrap();
            assert_eq!((mode(&file), fs::read(&file).unwrap().as_slice()), (kept, &b"new"[..]));
        }
    }

    #[test]
    fn one_file_by_two_names_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        fs::write(at("file"), "old").unwrap();
        fs::hard_link(at("file"), at("hard")).unwrap();
        symlink("file", at("soft")).unwrap();
        symlink("../new", at("deep/dangling")).unwrap();
        let same = |a: &str, b: &str| distinct(&[("-o", &*at(a)).into(), ("--raw", &*at(b)).into()]).is_err();
        for (a, b) in
            [("file", "file"), ("file", "./file"), ("file", "deep/../file"), ("file", "hard"), ("soft", "hard")]
        {
            assert!(same(a, b), "{a} is {b}");
        }
        for (a, b) in [("new", "./new"), ("new", "deep/dangling"), ("new", "deep/../new")] {
            assert!(same(a, b), "{a} will be {b}");
        }
        for (a, b) in [("file", "new"), ("new", "other"), ("new", "deep/new"), ("no/new", "no/new")] {
            assert!(!same(a, b), "{a} is not {b}");
        }
        let null = Path::new("/dev/null");
        assert!(distinct(&[("-o", null).into(), ("--raw", null).into()]).is_ok());
    }

    #[test]
    fn a_file_that_is_only_read_may_be_read_twice() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("file"), folder.path().join("./file"));
        fs::write(&file, "old").unwrap();
        let named = |path, is_shared| Named { argument: "line".into(), path, is_shared };
        for (first, second, is_right) in
            [(true, true, true), (true, false, false), (false, true, false), (false, false, false)]
        {
            let names = [named(&file, first), named(&other, second)];
            assert_eq!(distinct(&names).is_ok(), is_right, "shared: {first}, {second}");
        }
    }

    #[test]
    fn a_check_leaves_nothing_and_wakes_no_reader() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check(&folder.path().join("new")).is_ok() && check(Path::new("/dev/null")).is_ok());
        assert!(check(&folder.path().join("no/new")).is_err() && check(folder.path()).is_err());
        assert_eq!(names(folder.path()), [""; 0]);
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // Nobody reads, which opening would say.
        assert!(check(&pipe).is_ok() && Outputs::open([&*pipe]).is_err());
    }
}
