//! The kernels of a proof are known before it is made.

use std::collections::BTreeSet;
use std::sync::Arc;

use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
use polystark::hal::CircleStark;
use polystark::{Airs, AnyBackend, Device, Goldilocks3, KernelList, ProofSystem as _, Request};

#[test]
fn a_visit_asks_for_all_that_a_proof_compiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { generated_operations: 600, cache: Some(folder.path().to_owned()), ..Options::default() };
    let device = EmulatedDevice::new(options).expect("there is a C++ compiler");
    let backend = Arc::new(Emulated::<CircleStark>::new(NAME, device).expect("a device"));
    let compiled = || -> BTreeSet<_> {
        folder.path().read_dir().expect("the folder").map(|file| file.expect("a file").file_name()).collect()
    };
    // It has lookups, and the device makes its trace.
    let request = Request::<CircleStark>::new("plonk", 64);
    let airs = Airs::default();
    let value = Arc::new(AnyBackend::new(backend));
    CircleStark::visit(&value, &request, &airs.build(&request).expect("an AIR").air).expect("nothing is checked");
    let visited = compiled();
    Device::from(value).prove(&request).expect("an honest proof");
    assert_eq!(compiled(), visited);
    assert!(visited.len() > 8, "{visited:?}");
}

#[test]
fn programs_are_visited_without_a_device() {
    let list = KernelList::default();
    let mut request = Request::<CircleStark>::new("fibonacci", 64);
    list.add(&Airs::default(), &request).expect("an AIR");
    let of_air = list.count();
    request.rows = 128;
    list.add(&Airs::default(), &request).expect("an AIR");
    assert!(of_air > 8 && list.count() <= of_air + 2, "{of_air} and {}: kernels depend on rows", list.count());
    list.add(&Airs::<Goldilocks3>::default(), &Request::new("fibonacci-rap", 64)).expect("an AIR");
    let of_both = list.count();
    assert!(of_both > of_air + 8, "{of_both}");
    {
        use polystark::cairo_run::{Options, load};
        let program = include_bytes!("../../../../vectors/cairo/programs/fib_10.json");
        let run = load(program, &Options::default()).expect("a program");
        list.add_run(&run.run).expect("a run");
        assert!(list.count() > of_both + 20, "{}", list.count());
    }
}
