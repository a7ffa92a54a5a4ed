//! The table of backends: names, numbers, and the choice of `auto`.

use std::cell::RefCell;
use std::ops::ControlFlow;

use polystark::hal::{CircleStark, ErrorKind, HalError};
use polystark::{
    Class, DeviceOptions, Driver, Error, Goldilocks3, OpenBackend, Profile, ProofSystem, Registry, Request, Stage,
    circle, verify_file,
};

/// The reference as a driver of that name opens it.
fn reference(place: &DeviceOptions) -> Result<OpenBackend<CircleStark>, Error> {
    let device: circle::Device = Registry::default().open("cpu-reference", place)?;
    Ok(device.backend().clone().into())
}

/// A backend that gives the number of its device away, or an error of a kind.
struct Mine(Result<u32, ErrorKind>);

impl Driver for Mine {
    fn circle(&self, place: &DeviceOptions) -> Result<OpenBackend<CircleStark>, Error> {
        let devices = self.0.map_err(|kind| HalError::new(kind, "open", "mine is broken"))?;
        match place.device.unwrap_or(0) {
            device if device < devices => reference(&DeviceOptions::default()),
            device => Err(HalError::new(ErrorKind::Unavailable, "open", format!("mine has no device {device}")).into()),
        }
    }
}

/// A device for callers that ask for it by its name.
struct Named;

impl Driver for Named {
    fn circle(&self, place: &DeviceOptions) -> Result<OpenBackend<CircleStark>, Error> {
        reference(place)
    }

    fn is_automatic(&self) -> bool {
        false
    }
}

fn opened<F: ProofSystem>(registry: &Registry, name: &str, device: Option<u32>) -> Result<String, Error> {
    let device = registry.open::<F>(name, &DeviceOptions { device, threads: Some(1), ..DeviceOptions::default() })?;
    Ok(device.capabilities().backend.clone())
}

#[test]
fn a_device_has_a_number() {
    let registry = Registry::default().with("mine", Mine(Ok(2)));
    let circle = |name, device| opened::<CircleStark>(&registry, name, device);
    for (name, device) in [("mine", None), ("mine", Some(1)), ("mine:1", None), ("mine:1", Some(1)), ("cpu:0", None)] {
        assert!(circle(name, device).is_ok(), "{name} {device:?}");
    }
    for (name, device) in [("mine:2", None), ("mine", Some(2)), ("cpu:1", None), ("cpu-reference", Some(1))] {
        let error = circle(name, device).unwrap_err();
        assert_eq!(error.class(), Class::Device, "{error}");
        assert!(error.to_string().contains("no device"), "{error}");
    }
    assert!(matches!(circle("mine:0", Some(1)), Err(Error::TwoDevices { one: 0, other: 1 })));
    for name in ["abacus", "abacus:1", "mine:", "mine:x", "mine:-1", ""] {
        let error = circle(name, None).unwrap_err();
        assert!(matches!(&error, Error::UnknownBackend { .. }) && error.class() == Class::Input, "{name}: {error}");
        assert!(error.to_string().ends_with("there are: auto, mine, cuda, cpu, cpu-reference"), "{error}");
    }
}

#[test]
fn auto_takes_the_first_that_can_be_used() {
    let without_gpu = opened::<Goldilocks3>(&Registry::default(), "auto", None).unwrap();
    assert!(["cuda", "cpu"].contains(&without_gpu.as_str()), "{without_gpu}");
    let mine = |what| Registry::default().with("mine", Mine(what));
    assert_eq!(opened::<CircleStark>(&mine(Ok(1)), "auto", None).unwrap(), "cpu-reference");
    // It does not have this protocol, or can't be used here.
    assert_eq!(opened::<Goldilocks3>(&mine(Ok(1)), "auto", None).unwrap(), without_gpu);
    assert_eq!(opened::<CircleStark>(&mine(Err(ErrorKind::Unavailable)), "auto", None).unwrap(), without_gpu);
    // It wants to be asked for.
    let named = Registry::default().with("named", Named);
    assert_eq!(opened::<CircleStark>(&named, "auto", None).unwrap(), without_gpu);
    assert_eq!(opened::<CircleStark>(&named, "named", None).unwrap(), "cpu-reference");
    // Other trouble is nothing to pass over.
    let error = opened::<CircleStark>(&mine(Err(ErrorKind::DeviceLost)), "auto", None).unwrap_err();
    assert!(error.to_string().contains("mine is broken"), "{error}");
    // A device that nobody has: the preferred backend says so.
    let error = opened::<CircleStark>(&mine(Ok(1)), "auto", Some(77)).unwrap_err();
    assert!(error.to_string().contains("mine has no device 77"), "{error}");
}

#[test]
fn a_backend_of_another_program_proves() {
    let device: circle::Device =
        Registry::default().with("mine", Mine(Ok(1))).open("auto", &DeviceOptions::default()).unwrap();
    let mut request = circle::Request::new("fibonacci", 16);
    request.options.pow_bits = 1;
    request.profile = Profile::NONE;
    let proven = device.prove(&request).unwrap();
    let expect = circle::Expect { air: Some("fibonacci".into()), rows: Some(16), ..circle::Expect::default() };
    verify_file(
        &proven.file,
        &circle::Policy { min_security_bits: 0, min_query_bits: 0, ..circle::Policy::default() },
        &expect,
    )
    .unwrap();
}

#[test]
fn a_name_is_registered_once() {
    let registry = Registry::default().with("cpu", Mine(Ok(1)));
    assert_eq!(registry.names().collect::<Vec<_>>(), ["cpu", "cuda", "cpu-reference"]);
    assert_eq!(opened::<CircleStark>(&registry, "cpu", None).unwrap(), "cpu-reference");
    let available = registry.available();
    assert!(available[0].state.is_ok(), "one protocol is enough: {:?}", available[0]);
}

/// Ends a proof before each of its stages in turn; the device proves again afterwards.
fn can_be_cancelled<F: ProofSystem>(request: &Request<F>) {
    let device = Registry::default().open::<F>("cpu", &DeviceOptions::default()).unwrap();
    let stages = RefCell::new(Vec::new());
    let proven = device.prove_with(request, &|stage| {
        stages.borrow_mut().push(stage);
        ControlFlow::Continue(())
    });
    let file = proven.unwrap().file;
    let stages = stages.into_inner();
    assert!(stages.first() == Some(&Stage::Trace) && stages.last() == Some(&Stage::Verify), "{stages:?}");
    for stage in stages {
        let ended = device.prove_with(request, &|begun| match begun == stage {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        assert!(matches!(ended, Err(Error::Cancelled(last)) if last == stage), "{stage:?}");
        assert_eq!(device.memory().unwrap().in_use, 0, "{stage:?}");
    }
    assert!(device.prove(request).unwrap().file == file);
}

#[test]
fn whoever_follows_a_proof_can_end_it() {
    can_be_cancelled(&Request::<Goldilocks3>::new("quadratic", 16));
    let mut request = circle::Request::new("plonk", 16);
    request.trace = polystark::TraceSource::Upload;
    can_be_cancelled(&request);
}
