//! Jobs, how far they are, and whoever interrupts them.

use crate::scripted::{Fails, Says, Script, Scripted, table};
use onesided_learn::{At, Blend, Error, Learned, Machine, Signal, Task, Views, learn, run_jobs};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn every_job_is_done_once_and_results_are_in_order() {
    for workers in [0, 1, 3, 50] {
        let done = Mutex::new(Vec::new());
        let results = run_jobs(20, workers, |number| {
            done.lock().unwrap().push(number);
            ControlFlow::<usize, usize>::Continue(number * number)
        });
        assert_eq!(results, (0..20).map(|number| Some(number * number)).collect::<Vec<_>>());
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..20).collect::<Vec<usize>>());
    }
    assert!(run_jobs(0, 4, |_| ControlFlow::<(), ()>::Continue(())).is_empty());
}

#[test]
fn no_more_run_at_once_than_there_are_workers() {
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    run_jobs(40, 3, |_| {
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::yield_now();
        now.fetch_sub(1, Ordering::SeqCst);
        ControlFlow::<(), ()>::Continue(())
    });
    assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
}

#[test]
fn after_one_that_breaks_no_other_begins() {
    // One worker: the fourth is the last.
    let job = |number| if number == 3 { ControlFlow::Break("over") } else { ControlFlow::Continue("done") };
    let results = run_jobs(10, 1, job);
    assert_eq!(results[..4], [Some("done"), Some("done"), Some("done"), Some("over")]);
    assert!(results[4..].iter().all(Option::is_none));
    // Several: what was under way ends by itself, and its result is kept.
    let begun = AtomicUsize::new(0);
    let results = run_jobs(1_000, 4, |number| {
        begun.fetch_add(1, Ordering::SeqCst);
        if number == 5 { ControlFlow::Break(number) } else { ControlFlow::Continue(number) }
    });
    assert_eq!(results[5], Some(5));
    assert_eq!(results.iter().flatten().count(), begun.load(Ordering::SeqCst));
}

fn script(name: &str, noise: u32) -> Script {
    Script::new(name, Says { noise, ..Says::default() })
}

/// What each way of training makes of an observer.
fn ways() -> [(&'static str, Scripted); 3] {
    let scripts = || vec![script("a", 1), script("b", 2)];
    let blend = Blend { folds: 5, ..Blend::default() };
    [
        ("in turn", Scripted::choosing(scripts())),
        ("shared", Scripted { any_threads: true, ..Scripted::choosing(scripts()) }),
        ("blend", Scripted::blending(scripts(), blend)),
    ]
}

fn on_threads<'t>(task: &Task<'t>, threads: usize) -> Task<'t> {
    Task { machine: Machine { threads, ..Machine::default() }, ..task.clone() }
}

#[test]
fn whoever_aborts_gets_nothing_and_does_not_wait() {
    let table = table(400, 2);
    for threads in [1, 4] {
        for after in [1, 3, 10] {
            for (name, scorer) in ways() {
                let task = on_threads(&table.task(), threads);
                let asked = AtomicUsize::new(0);
                let result = learn(&scorer, &task, &Views::new(task.data), None, &mut |_| match asked
                    .fetch_add(1, Ordering::SeqCst)
                    + 1
                {
                    now if now < after => Signal::Continue,
                    _ => Signal::Abort,
                });
                let stopped = matches!(result, Err(Error::Interrupted { .. }));
                assert!(stopped, "{name}, {threads} threads, after {after}: {:?}", result.err());
                // Who asked for a stop is not asked again, and few trainings begin after it.
                assert_eq!(asked.load(Ordering::SeqCst), after, "{name}, {threads} threads");
                assert!(scorer.asked().len() <= after.div_ceil(2) + threads, "{name}, {threads} threads");
            }
        }
    }
}

#[test]
fn whoever_finishes_has_at_least_the_first_fold() {
    let table = table(400, 2);
    for threads in [1, 4] {
        for (name, scorer) in ways().into_iter().take(2) {
            let task = on_threads(&table.task(), threads);
            let outcome = learn(&scorer, &task, &Views::new(task.data), None, &mut |_| Signal::Finish);
            let outcome: Learned = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(outcome.report.chosen().unwrap().name, "a", "{name}");
            // Nothing was trained on all rows, and what was not held out by what there is has no score.
            assert!(scorer.asked().iter().all(|one| !one.scored.is_empty()), "{name}");
            let scored = outcome.out_of_fold.iter().flatten().count();
            assert!(scored.is_multiple_of(80) && (80..400).contains(&scored), "{name}: {scored}");
        }
    }
}

#[test]
fn one_that_fails_ends_the_fit_where_one_is_chosen() {
    let table = table(400, 2);
    for threads in [1, 4] {
        for any_threads in [false, true] {
            let fails = Script { fails: Fails::WhereScored(17), ..script("b", 2) };
            let scorer = Scripted { any_threads, ..Scripted::choosing(vec![script("a", 1), fails]) };
            let task = on_threads(&table.task(), threads);
            let result = learn(&scorer, &task, &Views::new(task.data), None, &mut |_| Signal::Continue);
            // The reason, and not that others were stopped for it.
            let error = result.err().unwrap();
            assert!(matches!(&error, Error::NeedsTruth(name) if name == "b"), "{error}");
            assert!(scorer.asked().len() <= 10);
        }
    }
}

/// What an observer is told: places and how many there are, from first to last.
fn told(scorer: &Scripted, task: &Task) -> Vec<(f64, usize)> {
    let mut told = Vec::new();
    let observed = learn(scorer, task, &Views::new(task.data), None, &mut |progress| {
        told.push(match progress.at {
            At::Tree { done, most } => (done as f64, most),
            At::Member { done, all, begun } => (done as f64 + begun, all),
            ref other => panic!("{other:?}"),
        });
        Signal::Continue
    });
    observed.unwrap();
    told
}

#[test]
fn progress_goes_forward_and_ends_at_the_end() {
    let table = table(400, 2);
    let task = on_threads(&table.task(), 1);
    let [_, (_, shared), (_, blend)] = ways();
    // Ten trainings of two trees, and one more of all rows that is told by itself.
    let trees = told(&shared, &task);
    let of_all = |told: &&(f64, usize)| told.1 == 22;
    let together: Vec<&(f64, usize)> = trees.iter().filter(of_all).collect();
    let alone = trees.len() - together.len();
    assert!(together.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{together:?}");
    assert_eq!((together.last().unwrap().0, alone), (20.0, 2));
    let members = told(&blend, &task);
    assert!(members.iter().all(|(_, all)| *all == 10));
    assert!(members.windows(2).all(|pair| pair[0].0 <= pair[1].0 + 1e-9), "{members:?}");
    assert_eq!(members.last().unwrap().0, 10.0);
}

#[test]
fn more_threads_change_nothing_of_what_is_learned() {
    let table = table(400, 2);
    let one = |threads: usize, scorer: Scripted| {
        let task = on_threads(&table.task(), threads);
        let outcome = learn(&scorer, &task, &Views::new(task.data), None, &mut |_| Signal::Continue).unwrap();
        (outcome.out_of_fold, outcome.positive, outcome.calibration, outcome.report.candidates)
    };
    for ((name, a), (_, b)) in ways().into_iter().zip(ways()) {
        assert_eq!(one(1, a), one(4, b), "{name}");
    }
}

/// The observer is told of a training's end, too, and may answer then that it is enough.
#[test]
fn whoever_finishes_between_two_trainings_has_no_model_of_all_rows() {
    let table = table(400, 2);
    let task = on_threads(&table.task(), 1);
    let [_, (_, shared), _] = ways();
    let mut told = 0;
    // Two trees and the end of the first training.
    let outcome = learn(&shared, &task, &Views::new(task.data), None, &mut |_| {
        told += 1;
        if told == 3 { Signal::Finish } else { Signal::Continue }
    });
    let outcome = outcome.unwrap();
    assert_eq!((told, shared.asked().len()), (3, 1));
    assert_eq!(outcome.out_of_fold.iter().flatten().count(), 80);
}
