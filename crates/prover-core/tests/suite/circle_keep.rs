//! A Circle proof is the same for all that it keeps; the memory decides how much it keeps.

use std::sync::Arc;

use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, Suite, encode};
use golden::backends::{cpu, reference, reference_of};
use golden::circle::{air, options, statements};
use gpu_hal::decorate::Metered;
use gpu_hal::{CircleStark, Operation, StarkBackend};
use prover_core::circle::{Keep, Plan, ProveError, Prover};
use prover_core::{MemoryError, Silent};

fn prover<B: StarkBackend<P = CircleStark>>(
    backend: B,
    air: &Arc<dyn ShippedAir>,
    options: &CircleOptions,
    keep: Keep,
) -> Prover<B> {
    let prover = Prover::new(Arc::new(backend), air.clone(), options).expect("provable");
    prover.keeping(keep).expect("a plan")
}

/// Proofs of the host's trace and of the device's equal the proofs of a prover that keeps all.
fn proofs_are_the_same<B: StarkBackend<P = CircleStark>>(make: impl Fn() -> B, options: &CircleOptions) {
    for air in statements(7) {
        let trace = air.trace();
        let expected = prover(make(), &air, options, Keep::All).prove(&trace, &Silent).expect("an honest trace");
        for keep in [Keep::Extensions, Keep::Prefixes, Keep::Sources, Keep::Halves] {
            let prover = prover(make(), &air, options, keep);
            assert_eq!(prover.plan().keep, keep);
            let made = prover.generates().then(|| prover.prove_generated(&Silent).expect("an honest trace"));
            for proof in made.into_iter().chain([prover.prove(&trace, &Silent).expect("an honest trace")]) {
                assert!(encode(&proof.proof) == encode(&expected.proof), "{}, {keep}, {options:?}", air.name());
                assert_eq!(proof.claimed_sums, expected.claimed_sums, "{}, {keep}", air.name());
            }
        }
    }
}

#[test]
fn the_proof_does_not_depend_on_what_is_kept() {
    proofs_are_the_same(reference::<CircleStark>, &options());
    proofs_are_the_same(cpu::<CircleStark>, &options());
    // Levels of wide nodes are counted in the whole tree, of which a half is a part.
    proofs_are_the_same(cpu::<CircleStark>, &CircleOptions { suite: Suite::Blake2sM31, ..options() });
    // Prefixes are an eighth.
    proofs_are_the_same(cpu::<CircleStark>, &CircleOptions { log_blowup: 3, ..options() });
}

/// The plan tells the columns that are made again, and the transforms are made.
#[test]
fn what_is_not_kept_is_made_again() {
    let air = air("range-squares", 9, "table=6;s=2");
    let made = |keep| {
        let prover = prover(Metered::new(reference::<CircleStark>()), &air, &options(), keep);
        let rehearsed = prover.rehearse(false).expect("a plan").steps;
        let transforms = rehearsed.iter().filter(|step| matches!(step.operation, Operation::Ntt | Operation::Lde));
        (prover.plan().clone(), transforms.count(), prover.recorded().components.clone())
    };
    let (all, transforms, components) = made(Keep::All);
    assert_eq!((all.remade.rows, all.remade.extended), (0, 0));
    let with_lookups = components.iter().filter(|component| component.logup.is_some());
    let rows_of_lookups: u64 =
        with_lookups.clone().map(|component| (component.width(1) as u64) << component.log_size).sum();
    let cells = |component: &circle_air::RecordedComponent| (component.width(1) + component.width(2)) as u64;
    let extended = |component| cells(component) << (component.log_size + options().log_blowup);

    let (extensions, more, _) = made(Keep::Extensions);
    assert_eq!((extensions.remade.rows, extensions.remade.extended), (rows_of_lookups, 0));
    // Two transforms of each table.
    assert_eq!(more, transforms + 2 * with_lookups.clone().count());
    let (prefixes, ..) = made(Keep::Prefixes);
    // For the composition, the quotient and the openings.
    let again = 3 * components.iter().map(extended).sum::<u64>();
    assert_eq!((prefixes.remade.rows, prefixes.remade.extended), (rows_of_lookups, again));
    let (sources, ..) = made(Keep::Sources);
    let rows =
        |component: &circle_air::RecordedComponent, tree: usize| (component.width(tree) as u64) << component.log_size;
    let main: u64 = components.iter().map(|component| rows(component, 1)).sum();
    let both: u64 = with_lookups.map(|component| rows(component, 1) + rows(component, 2)).sum();
    // Main columns for themselves, and with lookup columns: at the point out of the domain, and for the same three.
    // Main columns for the lookups, too.
    assert_eq!((sources.remade.rows, sources.remade.extended), (4 * (main + both) + rows_of_lookups, again));
    let (halves, ..) = made(Keep::Halves);
    // All once more for the second half of a tree and, as queries may be in both, for its openings. There the two
    // halves are extended once, as before.
    let both_halves = (6 * (main + both) + rows_of_lookups, again + again / 6);
    assert_eq!((halves.remade.rows, halves.remade.extended), both_halves);
    assert!(halves.peak_bytes < sources.peak_bytes, "{halves}, {sources}");
    let display = prefixes.to_string();
    assert!(display.contains("keep prefixes") && display.contains(&format!("{again} of extensions")), "{display}");
    assert!(!all.to_string().contains("keep"), "{all}");
}

fn most(plan: &Plan) -> u64 {
    plan.peak_bytes.max(plan.preparation_bytes)
}

/// The first that fits is kept; where none does, the refusal names the least memory of all.
#[test]
fn what_is_kept_is_what_fits() {
    let (air, options) = (air("plonk", 7, "v0=3;v1=4"), CircleOptions { log_blowup: 3, ..options() });
    let planned = Keep::ALL.map(|keep| most(prover(reference::<CircleStark>(), &air, &options, keep).plan()));
    let least = planned.into_iter().min().expect("there are plans");
    assert!(least < planned[0], "{planned:?}");
    let trace = air.trace();
    for limit in planned.into_iter().flat_map(|planned| [planned, planned - 1]) {
        let backend = reference_of::<CircleStark>(limit);
        let prover = Prover::new(Arc::new(backend), air.clone(), &options);
        match Keep::ALL.into_iter().zip(planned).find(|(_, planned)| *planned <= limit) {
            Some((keep, _)) => {
                let prover = prover.expect("enough memory");
                assert_eq!(prover.plan().keep, keep);
                prover.prove(&trace, &Silent).expect("enough memory");
            }
            None => match prover.err() {
                Some(ProveError::Memory(MemoryError::Missing { needed, available, .. })) => {
                    assert_eq!((needed, available), (least, limit));
                }
                other => panic!("{other:?}"),
            },
        }
    }
}

/// Memory that other proofs hold at the moment does not count.
#[test]
fn a_proof_beside_others_keeps_as_much_as_alone() {
    let air = air("range-squares", 9, "table=8;s=2");
    let planned = most(prover(reference::<CircleStark>(), &air, &options(), Keep::All).plan());
    let backend = Arc::new(reference_of::<CircleStark>(planned));
    let available = || Ok(backend.memory()?.available);
    let other = backend.budget().reserve(planned / 2, available, || std::ops::ControlFlow::Continue(()));
    let other = other.expect("half is there");
    let waiting = std::thread::spawn({
        let (backend, air) = (backend.clone(), air.clone());
        move || Prover::new(backend, air, &options()).map(|prover| prover.plan().keep)
    });
    // It waits for the other, as its plan is that of a prover alone.
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(!waiting.is_finished());
    drop(other);
    assert_eq!(waiting.join().expect("no panic").expect("enough memory"), Keep::All);
}
