//! CairoPIEs next to cairo-vm: it reads them alike, it wrote the ones of its own runs alike, and it runs ours again.

use std::collections::HashMap;

use cairo_run::pie::{self, CairoPie};
use cairo_run::{Options, Problem, Task, run_task};
use cairo_vm::cairo_run::{CairoRunConfig, cairo_run_pie};
use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::BuiltinHintProcessor;
use cairo_vm::types::layout_name::LayoutName;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::runners::cairo_pie::CairoPie as VmPie;
use cairo_vm::vm::runners::cairo_runner::RunResources;

use crate::files::read;

const FILES: [&str; 7] = ["ec_op", "empty", "fib", "hashes", "keccak", "no_hash", "rc96"];

fn ours(file: &[u8]) -> CairoPie {
    pie::read(file, pie::DEFAULT_MAX_BYTES).unwrap()
}

fn task(path: &str, options: &Options) -> Task {
    run_task(&read(path), options).unwrap()
}

#[test]
fn cairo_vm_reads_the_same_from_both_files() {
    for name in FILES {
        let file = read(&format!("pies/{name}.zip"));
        let theirs = VmPie::from_bytes(&file).unwrap();
        theirs.run_validity_checks().unwrap();
        let pie = ours(&file);
        assert!(CairoPie::try_from(theirs.clone()).unwrap() == pie, "{name}");
        assert!(VmPie::from_bytes(&pie::write(&pie).unwrap()).unwrap() == theirs, "{name}");
        let cells: Vec<String> = pie.memory.iter().map(|cell| format!("{}={}", cell.address, cell.value)).collect();
        let expected = theirs.memory.0.iter().map(|((segment, offset), value)| match value.get_int() {
            Some(felt) => format!("{segment}:{offset}={felt:#x}"),
            None => format!("{segment}:{offset}={value}"),
        });
        assert!(cells.into_iter().eq(expected), "{name}");
        assert_eq!(pie.resources.n_steps, theirs.execution_resources.n_steps as u64, "{name}");
    }
}

fn pointer(segment_index: isize) -> MaybeRelocatable {
    Relocatable { segment_index, offset: 0 }.into()
}

/// A pointer further into a segment than any is long.
fn far() -> MaybeRelocatable {
    Relocatable { segment_index: 1, offset: 1 << 47 }.into()
}

/// Nobody vouches for a CairoPIE that another program hands over.
#[test]
fn pies_of_cairo_vm_are_checked_as_files_are() {
    let refused = |change: fn(&mut VmPie)| {
        let mut pie = VmPie::from_bytes(&read("pies/hashes.zip")).unwrap();
        change(&mut pie);
        CairoPie::try_from(pie).unwrap_err().to_string()
    };
    for (change, said) in [
        ((|pie| pie.metadata.program.data[7] = pointer(1)) as fn(&mut VmPie), "program.data[7]: it is the pointer 1:0"),
        (|pie| pie.memory.0[3].1 = pointer(-2), "it points nowhere: -2:0 is in a temporary segment"),
        (|pie| pie.memory.0[3].1 = pointer(1 << 20), "where there is no segment"),
        (|pie| pie.memory.0[3].1 = far(), "it points to 1:140737488355328, and a segment has at most"),
        (|pie| pie.memory.0.push(pie.memory.0[3].clone()), "it is there twice"),
        (|pie| pie.memory.0[3].0.1 = 1 << 50, "its segment has"),
        (|pie| pie.metadata.execution_segment.index = -1, "execution_segment.index"),
        (|pie| pie.metadata.program.builtins.truncate(1), "builtin_segments"),
        (|pie| pie.execution_resources.builtin_instance_counter.clear(), "must count each builtin"),
    ] {
        let error = refused(change);
        assert!(error.contains(said), "{error}");
    }
    // The order of cells says nothing.
    let mut pie = VmPie::from_bytes(&read("pies/hashes.zip")).unwrap();
    pie.memory.0.reverse();
    assert!(CairoPie::try_from(pie).unwrap() == ours(&read("pies/hashes.zip")));
}

#[test]
fn runs_have_the_files_that_cairo_vm_wrote() {
    for name in ["fib", "hashes", "keccak"] {
        let Task { pie, .. } = task(&format!("pies/src/{name}.json"), &Options::default());
        assert!(pie == ours(&read(&format!("pies/{name}.zip"))), "{name}");
    }
}

#[test]
fn cairo_vm_runs_them_again() {
    let arguments = Options { arguments: vec![200.into()], ..Options::default() };
    for (path, options) in [
        ("pies/src/hashes.json", Options::default()),
        // These are compiled for proof mode; `main` runs as in any other.
        ("cairo/programs/builtins_3.json", Options::default()),
        ("cairo/programs/modops_5_20.json", Options::default()),
        ("cairo1/programs/fib.executable.json", arguments),
    ] {
        let Task { pie, .. } = task(path, &options);
        let theirs = VmPie::from_bytes(&pie::write(&pie).unwrap()).unwrap();
        let config = CairoRunConfig { layout: LayoutName::all_cairo, ..CairoRunConfig::default() };
        let resources = RunResources::new(theirs.execution_resources.n_steps);
        let mut hints = BuiltinHintProcessor::new(HashMap::new(), resources);
        // It compares the CairoPIE of its own run with this one.
        cairo_run_pie(&theirs, &config, &mut hints).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

#[test]
fn tasks_are_bounded_and_fail_with_a_place() {
    let few = Options { max_steps: 10, ..Options::default() };
    let error = run_task(&read("pies/src/fib.json"), &few).unwrap_err();
    assert!(error.to_string().contains("10 steps"), "{error}");
    let error = run_task(&read("cairo1/inputs/fib_boot.bin"), &Options::default()).unwrap_err();
    assert!(matches!(*error.problem, Problem::Arguments(_)), "{error}");
    let error = run_task(&read("cairo1/programs/fib.executable.json"), &Options::default()).unwrap_err();
    assert!(matches!(*error.problem, Problem::Failed(_)), "{error}");
}
