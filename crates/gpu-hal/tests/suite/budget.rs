//! Promises of memory: in the order of asking, never more than there is.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use gpu_hal::budget::Refused;
use gpu_hal::{Budget, ErrorKind, HalError};

const WAIT: fn() -> ControlFlow<()> = || ControlFlow::Continue(());
const REFUSE: fn() -> ControlFlow<()> = || ControlFlow::Break(());

fn of(bytes: u64) -> impl FnMut() -> Result<Option<u64>, HalError> {
    move || Ok(Some(bytes))
}

#[test]
fn no_more_is_promised_than_there_is() {
    let budget = Budget::default();
    let first = budget.reserve(60, of(100), REFUSE).expect("all is free");
    // Available bytes may be more than the free ones beside the promise, or fewer.
    match budget.reserve(50, of(100), REFUSE) {
        Err(Refused::Occupied { available: 40 }) => {}
        other => panic!("{other:?}"),
    }
    match budget.reserve(30, of(20), REFUSE) {
        Err(Refused::Occupied { available: 20 }) => {}
        other => panic!("{other:?}"),
    }
    assert!(matches!(budget.reserve(101, of(100), WAIT), Err(Refused::Missing { available: 100 })));
    assert_eq!((budget.room(Some(7)), budget.room(None)), (Some(100), None));
    let second = budget.reserve(40, of(100), REFUSE).expect("as much as is left");
    drop((first, second));
    assert_eq!(budget.room(Some(7)), Some(7), "what there is now counts again");
    assert!(matches!(budget.reserve(8, of(7), WAIT), Err(Refused::Missing { available: 7 })));
}

#[test]
fn what_is_kept_is_not_promised_again() {
    let budget = Budget::default();
    let holder = budget.reserve(10, of(100), REFUSE).expect("all is free");
    budget.reserve(50, of(100), REFUSE).expect("free").keep(30);
    assert!(matches!(budget.reserve(61, of(100), REFUSE), Err(Refused::Occupied { available: 60 })));
    drop(budget.reserve(60, of(100), REFUSE).expect("as much as is left"));
    drop(holder);
}

#[test]
fn a_backend_that_cannot_tell_is_not_limited_and_errors_are_handed_on() {
    let budget = Budget::default();
    let _all = budget.reserve(u64::MAX, || Ok(None), REFUSE).expect("no limit is known");
    let _more = Budget::default().reserve(1, || Ok(None), REFUSE).expect("no limit is known");
    let error = || Err(HalError::new(ErrorKind::DeviceLost, "memory", "unplugged"));
    assert!(
        matches!(Budget::default().reserve(1, error, WAIT), Err(Refused::Hal(error)) if error.kind == ErrorKind::DeviceLost)
    );
}

#[test]
fn those_who_wait_are_served_in_order() {
    let budget = Budget::default();
    let holder = budget.reserve(100, of(100), REFUSE).expect("all is free");
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        let waiting = |number: usize, bytes: u64| {
            let (asked, asking) = mpsc::channel::<()>();
            let (budget, tell) = (&budget, tell.clone());
            scope.spawn(move || {
                let mut first = Some(asked);
                let waits = move || {
                    // The asking caller is in the queue.
                    drop(first.take());
                    ControlFlow::Continue(())
                };
                let reserved = budget.reserve(bytes, of(100), waits).expect("a promise at last");
                tell.send(number).expect("the test listens");
                drop(reserved);
            });
            asking.recv().expect_err("nothing is sent");
        };
        // The second alone would fit before the first.
        waiting(0, 90);
        waiting(1, 20);
        waiting(2, 90);
        drop(holder);
    });
    assert_eq!(told.try_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn who_stops_waiting_does_not_hold_up_the_others() {
    let budget = Budget::default();
    let holder = budget.reserve(50, of(100), REFUSE).expect("all is free");
    assert!(matches!(budget.reserve(60, of(100), REFUSE), Err(Refused::Occupied { .. })));
    drop(budget.reserve(50, of(100), REFUSE).expect("nobody is in front"));
    drop(holder);
}

#[test]
fn backends_on_one_device_share_a_budget() {
    let (one, other) = (Budget::of_device("test:0"), Budget::of_device("test:0"));
    let _held = one.reserve(60, of(100), REFUSE).expect("all is free");
    assert!(matches!(other.reserve(60, of(100), REFUSE), Err(Refused::Occupied { .. })));
    assert!(Budget::of_device("test:1").reserve(60, of(100), REFUSE).is_ok());
}

#[test]
fn many_threads_never_hold_more_than_there_is() {
    let (budget, held) = (Budget::default(), AtomicU64::new(0));
    thread::scope(|scope| {
        for number in 0..8u64 {
            let (budget, held) = (&budget, &held);
            scope.spawn(move || {
                for round in 0..50 {
                    let bytes = 10 + (number * 7 + round * 13) % 50;
                    let reserved = budget.reserve(bytes, of(100), WAIT).expect("a promise at last");
                    let now = held.fetch_add(bytes, Ordering::SeqCst) + bytes;
                    assert!(now <= 100, "{now} bytes of 100");
                    thread::yield_now();
                    held.fetch_sub(bytes, Ordering::SeqCst);
                    drop(reserved);
                }
            });
        }
    });
}

#[test]
fn a_caller_that_panics_leaves_the_queue() {
    let budget = Budget::default();
    let holder = budget.reserve(100, of(100), REFUSE).expect("all is free");
    let panics = thread::scope(|scope| {
        let waits = || panic!("an observer panics");
        let budget = &budget;
        scope.spawn(move || budget.reserve(10, of(100), waits).map(drop).is_ok()).join()
    });
    assert!(panics.is_err());
    drop(holder);
    budget.reserve(100, of(100), REFUSE).expect("nobody is in front");
}
