//! How files and processes end: permissions, long names, signals.
#![cfg(unix)]

mod folder;

use folder::{Folder, QUICK, Said, table};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn with_table(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("x.csv", table());
    folder
}

fn mode(folder: &Folder, name: &str) -> u32 {
    fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let folder = with_table("endings-read-only");
    folder.write("m.safetensors", "not to be lost");
    fs::set_permissions(folder.path("m.safetensors"), Permissions::from_mode(0o444)).unwrap();
    let message = folder.refused(&format!("fit x.csv {QUICK} --out m.safetensors"));
    assert!(message.contains("the file is read-only; choose another name"), "{message}");
}

#[test]
fn a_file_that_is_replaced_keeps_its_permissions() {
    let folder = with_table("endings-mode");
    for wanted in [0o600, 0o664] {
        folder.write("m.safetensors", "");
        fs::set_permissions(folder.path("m.safetensors"), Permissions::from_mode(wanted)).unwrap();
        let said = folder.run(&format!("fit x.csv {QUICK} --out m.safetensors"));
        assert_eq!((said.code, mode(&folder, "m.safetensors")), (0, wanted), "{said:?}");
    }
}

#[test]
fn a_model_that_holds_training_rows_is_for_its_owner_alone() {
    let folder = with_table("endings-rows");
    let fit = "fit x.csv --label y --drop id --drop t --prior 0.3333";
    let said = folder.run(&format!("{fit} --method kldce --out kernel.safetensors"));
    assert_eq!((said.code, mode(&folder, "kernel.safetensors")), (0, 0o600), "{said:?}");
    let said = folder.run(&format!("{fit} --method weighted-lr --out linear.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    assert_ne!(mode(&folder, "linear.safetensors"), 0o600);
}

#[test]
fn a_name_as_long_as_names_get_can_be_written() {
    let folder = with_table("endings-long");
    let name = format!("{}.safetensors", "m".repeat(255 - ".safetensors".len()));
    let said = folder.run(&format!("fit x.csv {QUICK} --out {name}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(folder.files(), [name, "x.csv".to_string()]);
}

/// Ends a long training with a signal once its checkpoint is there.
fn end(folder: &Folder, signal: &str) -> Said {
    let fit = QUICK.replace("--epochs 10", "--epochs 1000000 --patience 1000000");
    let child = folder
        .command(&format!("fit x.csv {fit} --checkpoint c --out m.safetensors"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !folder.files().iter().any(|name| name.starts_with('c'))
        && started.elapsed() < Duration::from_secs(60)
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    Said::of(child.wait_with_output().unwrap())
}

#[test]
fn a_polite_kill_and_a_closed_terminal_end_training_as_ctrl_c_does() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let folder = with_table(&format!("endings{signal}"));
        let said = end(&folder, signal);
        assert_eq!(said.code, 130, "{signal}: {said:?}");
        let left = folder.files();
        let hidden = left.iter().any(|name| name.starts_with('.') || name.ends_with(".tmp"));
        assert!(!hidden && !left.contains(&"m.safetensors".to_string()), "{signal}: {left:?}");
    }
}
