//! A model that replaces another: its rows are never the other's, and who may read it is not inherited.

use crate::folder::{Folder, table};
use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const FIT: &str = "fit table.csv --label y --drop id,t --method weighted-lr --threads 1 --prior";

#[test]
fn readers_never_mix_two_models_that_replace_one_another() {
    let folder = Folder::new("replaced-race");
    folder.write("table.csv", table());
    let list = |model: &str| {
        let said = folder.run(&format!("predict {model} table.csv --out -"));
        assert_eq!(said.code, 0, "{said:?}");
        assert!(!said.stderr.contains("another model") && !said.stderr.contains("damaged"), "{said:?}");
        said.stdout
    };
    let mut whole = BTreeSet::new();
    for (model, prior) in [("a.m", "0.3"), ("b.m", "0.4"), ("r.m", "0.3")] {
        assert_eq!(folder.run(&format!("{FIT} {prior} --out {model}")).code, 0);
        whole.insert(list(model));
    }
    assert_eq!(whole.len(), 2);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for prior in ["0.3", "0.4"] {
            let (folder, stop) = (&folder, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(folder.run(&format!("{FIT} {prior} --out r.m")).code, 0);
                }
            });
        }
        for _ in 0..30 {
            let found = list("r.m");
            if !whole.contains(&found) {
                stop.store(true, Ordering::Relaxed);
                panic!("a list of neither model");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_fit_that_cannot_be_written_leaves_model_and_rows() {
    let folder = Folder::new("replaced-failed");
    folder.write("table.csv", table());
    assert_eq!(folder.run(&format!("{FIT} 0.3 --out m.onesided")).code, 0);
    let read = || ["m.onesided", "m.onesided.rows"].map(|name| fs::read(folder.path(name)).unwrap());
    let before = read();
    let mut permissions = fs::metadata(folder.path("m.onesided")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(folder.path("m.onesided"), permissions).unwrap();
    assert_ne!(folder.run(&format!("{FIT} 0.4 --out m.onesided")).code, 0);
    assert!(read() == before);
}

#[cfg(unix)]
#[test]
fn a_model_that_holds_training_rows_is_private_whatever_it_replaces() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("replaced-private");
    folder.write("table.csv", table());
    let mode = || fs::metadata(folder.path("m.onesided")).unwrap().permissions().mode() & 0o777;
    assert_eq!(folder.run(&format!("{FIT} 0.3 --out m.onesided")).code, 0);
    fs::set_permissions(folder.path("m.onesided"), fs::Permissions::from_mode(0o644)).unwrap();
    let kernel = "fit table.csv --label y --drop id,t --method kldce --prior 0.3333 --out m.onesided";
    let said = folder.run(kernel);
    assert_eq!((said.code, mode()), (0, 0o600), "{said:?}");
}
