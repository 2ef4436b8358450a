//! Standard input and output, pipes and devices, as tables, lists, models and checkpoints.
#![cfg(unix)]

use crate::folder::{Folder, Said};
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

const FIT: &str = "--label y --prior 0.5 --model linear --epochs 2 --out m.safetensors";

fn rows() -> String {
    let row = |i: usize| format!("{i},{},{}\n", i % 7, u8::from(i < 10));
    format!("temperature,z,y\n{}", (0..40).map(row).collect::<String>())
}

/// Runs the command with bytes on its standard input.
fn fed(folder: &Folder, arguments: &str, bytes: &[u8]) -> Said {
    let mut command = folder.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that refuses early does not read it.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    Said::of(child.wait_with_output().unwrap())
}

fn pipe(folder: &Folder, name: &str) -> bool {
    let path = folder.path(name);
    Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success())
}

#[test]
fn a_table_on_standard_input_is_the_table() {
    let folder = Folder::new("stdin-table");
    folder.write("x.csv", rows());
    assert_eq!(folder.run(&format!("fit -v x.csv {FIT}")).code, 0);
    let model = fs::read(folder.path("m.safetensors")).unwrap();
    let list = folder.run("predict m.safetensors x.csv --out -");
    assert!(list.code == 0 && list.stdout.starts_with("row,score,probability,rank\n"), "{list:?}");
    assert!(list.stderr.contains("wrote 30 rows to standard output"), "{list:?}");
    let packed = zstd::encode_all(rows().as_bytes(), 3).unwrap();
    for place in ["-", "/dev/stdin"] {
        for bytes in [rows().as_bytes(), &packed] {
            let said = fed(&folder, &format!("fit {place} {FIT}"), bytes);
            assert_eq!(said.code, 0, "{said:?}");
            assert!(fs::read(folder.path("m.safetensors")).unwrap() == model, "{place}");
        }
        let said = fed(
            &folder,
            &format!("predict m.safetensors {place} --id temperature --out /dev/stdout"),
            rows().as_bytes(),
        );
        assert!(
            said.code == 0 && said.stdout.starts_with("row,score,probability,rank,temperature\n"),
            "{said:?}"
        );
    }
    // An identifier that is a feature, too, needs the table twice; what is read of a pipe is kept.
    assert_eq!(list.stdout.lines().count(), 31);
}

#[test]
fn parquet_through_pipes() {
    let folder = Folder::new("stdin-parquet");
    folder.write("x.csv", rows());
    assert_eq!(folder.run(&format!("fit -v x.csv {FIT}")).code, 0);
    let columns = ["temperature", "z"]
        .map(|name| (name, onesided::data::OutColumn::F64((0..40).map(f64::from).collect())));
    onesided::data::write_parquet(&folder.path("x.parquet"), &columns).unwrap();
    let bytes = fs::read(folder.path("x.parquet")).unwrap();
    let mut command = folder.command("predict m.safetensors - --out - --format parquet");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success() && out.stdout.starts_with(b"PAR1") && out.stdout.ends_with(b"PAR1"));
    // The bytes tell where nothing is said.
    assert_eq!(fed(&folder, "predict m.safetensors -", &bytes).code, 0);
    let message = folder.refused("predict m.safetensors x.csv --out list.xlsx --format xlsx");
    assert!(
        message.contains("unknown format of tables 'xlsx'; use csv, tsv, parquet, json, arrow or excel"),
        "{message}"
    );
}

#[test]
fn a_list_into_a_pipe_arrives_whole() {
    let folder = Folder::new("pipe-out");
    folder.write("x.csv", rows());
    assert_eq!(folder.run(&format!("fit -v x.csv {FIT}")).code, 0);
    if !pipe(&folder, "list") || !pipe(&folder, "table") {
        return;
    }
    let reader = {
        let path = folder.path("list");
        std::thread::spawn(move || {
            let mut text = String::new();
            fs::File::open(path).unwrap().read_to_string(&mut text).unwrap();
            text
        })
    };
    let writer = {
        let path = folder.path("table");
        std::thread::spawn(move || fs::write(path, rows()).unwrap())
    };
    let said = folder.run("predict m.safetensors table --out list");
    assert_eq!(said.code, 0, "{said:?}");
    writer.join().unwrap();
    assert_eq!(reader.join().unwrap().lines().count(), 31);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::new("pipe-closed");
    // More than any buffer and pipe hold, so that the list meets the closed end.
    let row = |i: usize| format!("{i},{},{}\n", i % 7, u8::from(i < 100));
    folder.write("x.csv", format!("temperature,z,y\n{}", (0..20_000).map(row).collect::<String>()));
    assert_eq!(folder.run(&format!("fit -v x.csv {FIT}")).code, 0);
    for format in ["csv", "parquet"] {
        let list = format!("predict m.safetensors x.csv --all --out - --format {format}");
        let list = if format == "csv" { list.replace(" --format csv", "") } else { list };
        let mut command = folder.command(&list);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if format == "parquet" {
            // The format names that of the table too, so it is read from a Parquet file.
            let column = |of: fn(u32) -> f64| onesided::data::OutColumn::F64((0..20_000).map(of).collect());
            let columns = [("temperature", column(f64::from)), ("z", column(|i| f64::from(i % 7)))];
            onesided::data::write_parquet(&folder.path("x.parquet"), &columns).unwrap();
            command = folder.command(&list.replace("x.csv", "x.parquet"));
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let said = Said::of(child.wait_with_output().unwrap());
        assert!(said.code == 0 && !said.stderr.contains("error"), "{format}: {said:?}");
    }
    for command in ["methods", "methods nnpu", "--help", "completions bash", "predict m.safetensors x.csv"] {
        let mut child =
            folder.command(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let said = Said::of(child.wait_with_output().unwrap());
        assert!(said.code == 0 && !said.stderr.contains("error"), "{command}: {said:?}");
    }
}

#[test]
fn pipes_where_files_are_needed_are_refused() {
    let folder = Folder::new("pipes-refused");
    folder.write("x.csv", rows());
    assert_eq!(folder.run(&format!("fit -v x.csv {FIT}")).code, 0);
    if !pipe(&folder, "p") {
        return;
    }
    for name in ["texts", "pictures"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    pipe(&folder, "texts/a.txt");
    pipe(&folder, "pictures/a.png");
    folder.write("files.csv", "f,y\np,1\np,0\n");
    let said = |arguments: &str| {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{arguments}: {said:?}");
        said.stderr
    };
    let fit = format!("fit x.csv {FIT}");
    assert!(said(&format!("{fit} --checkpoint p")).contains("a checkpoint must be a regular file"));
    assert!(said("predict p x.csv").contains("is not a regular file; name a model file"));
    for name in ["texts", "pictures"] {
        let two = format!("fit --positives {name} --unlabeled {name} --prior 0.5 --out m2.safetensors");
        assert!(said(&two).contains("is a pipe or a device, not a regular file"));
    }
    let image = "fit files.csv --image f --label y --prior 0.5 --out m2.safetensors";
    assert!(said(image).contains("it is a pipe or a device"));
    assert!(said(&fit.replace("m.safetensors", "-")).contains("a model is not written to standard output"));
    assert!(said("predict m.safetensors x.csv --out - --json").contains("both write to standard output"));
    let two = "fit --positives - --unlabeled - --prior 0.5 --out m2.safetensors";
    assert!(said(two).contains("can be read only once"));
}
