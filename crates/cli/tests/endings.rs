//! How files and processes end: permissions, long names, signals.
#![cfg(unix)]

use crate::folder::{Folder, QUICK, Said, table};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
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
        let said = folder.run(&format!("fit -v x.csv {QUICK} --out m.safetensors"));
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
    let said = folder.run(&format!("fit -v x.csv {QUICK} --out {name}"));
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

/// Rows of six columns, of which a tenth is positive.
fn long_table(rows: usize) -> String {
    let mut text = String::from("a,b,c,d,e,y\n");
    for i in 0..rows {
        let cell = |k: usize| ((i * 7919 + k * 104_729) % 100_003) as f64 / 997.0;
        let label = u8::from(i.is_multiple_of(30));
        let (a, b, c, d, e) = (cell(1) + 40.0 * f64::from(label), cell(2), cell(3), cell(4), cell(5));
        text += &format!("{a:.3},{b:.3},{c:.3},{d:.3},{e:.3},{label}\n");
    }
    text
}

#[test]
fn long_commands_end_in_any_phase_and_leave_nothing() {
    let folder = Folder::new("endings-phases");
    folder.write("big.csv", long_table(60_000));
    folder.write("small.csv", long_table(2_000));
    let said = folder.run("fit -v small.csv --label y --prior 0.1 --effort quick --out m.onesided");
    assert_eq!(said.code, 0, "{said:?}");
    let before = folder.files();
    for command in [
        "fit big.csv --label y --prior 0.1 --max-unlabeled 1000 --effort quick --out out.onesided",
        "fit big.csv --label y --prior 0.1 --model trees --out out.onesided",
        "prior big.csv --label y --plot out.png",
        "predict m.onesided big.csv --out out.csv --explain",
        "evaluate m.onesided big.csv --label y",
        "importance m.onesided big.csv --label y --out out.svg",
        "audit draw m.onesided big.csv --label y --out out.csv",
    ] {
        for (signal, wait) in [("-INT", 150), ("-TERM", 900)] {
            let child = folder.command(command).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(wait));
            let _ = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            let said = Said::of(child.wait_with_output().unwrap());
            // On a fast machine it may be done by then.
            if said.code == 0 {
                for new in folder.files().iter().filter(|name| !before.contains(name)) {
                    fs::remove_file(folder.path(new)).unwrap();
                }
                continue;
            }
            assert_eq!(said.code, 130, "{command} {signal}: {said:?}");
            assert_eq!(folder.files(), before, "{command} {signal}: {said:?}");
        }
    }
}

#[test]
fn long_phases_say_how_far_they_are() {
    let folder = Folder::new("endings-progress");
    folder.write("big.csv", long_table(60_000));
    folder.write("small.csv", long_table(2_000));
    assert_eq!(folder.run("fit -v small.csv --label y --prior 0.1 --effort quick --out m.onesided").code, 0);
    // A line per second, once a phase lasts; the rest of it is not waited for.
    let predict = "-v predict m.onesided big.csv --out out.csv --explain";
    let mut child = folder.command(predict).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let told = lines.map(Result::unwrap).find(|line| line.starts_with("explaining: "));
    child.kill().unwrap();
    child.wait().unwrap();
    let told = told.expect("how far it is");
    assert!(told.contains(" rows, ") && told.contains(" rows/s (") && told.contains('%'), "{told}");
}
