//! What is under way is seen by whoever asks. One test, since a process has one list.

use onesided_data::{Phase, phase_now};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn the_outermost_phase_that_moves_is_seen_and_else_the_innermost() {
    let look = Duration::from_millis(100);
    let now = || phase_now(look).map(|now| (now.what, now.done, now.all));
    let outer = Phase::new("reading", 100, "bytes");
    outer.add(30);
    assert_eq!(now(), None);
    sleep(4 * look);
    // It stands still, and nothing else is there.
    assert_eq!(now(), Some(("reading", 30, 100)));
    let inner = Phase::new("scoring", 7, "rows");
    inner.add(9);
    sleep(2 * look);
    assert_eq!(now(), Some(("scoring", 7, 7)));
    outer.add(10);
    assert_eq!(now(), Some(("reading", 40, 100)));
    drop(outer);
    assert_eq!(now(), Some(("scoring", 7, 7)));
    drop(inner);
    let mut seen = Vec::new();
    for element in Phase::new("encoding", 2, "columns").each(["a", "b"]) {
        sleep(2 * look);
        seen.push((element, now()));
    }
    assert_eq!(seen, [("a", Some(("encoding", 0, 2))), ("b", Some(("encoding", 1, 2)))]);
    assert_eq!(now(), None);
}
