//! Files that are larger than they look: each is refused with one sentence before it fills the memory.

use crate::folder::{Folder, Said};
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::Stdio;

const FIT: &str = "--label y --prior 0.5 --model linear --epochs 2 --out m.safetensors";

/// Runs a command that must be refused with one sentence, within 256 MiB, and returns the sentence.
fn refused(folder: &Folder, arguments: &str) -> String {
    sentence(arguments, folder.run(&format!("{arguments} --memory 256M")))
}

fn sentence(arguments: &str, said: Said) -> String {
    assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{arguments}: {said:?}");
    let errors: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "{arguments}: {said:?}");
    assert!(errors[0].len() < 1000, "{arguments}: {said:?}");
    errors[0].to_string()
}

fn zstd(folder: &Folder, name: &str, start: &str, piece: &[u8], times: usize) {
    let mut encoder = zstd::Encoder::new(File::create(folder.path(name)).unwrap(), 1).unwrap();
    encoder.write_all(start.as_bytes()).unwrap();
    (0..times).for_each(|_| encoder.write_all(piece).unwrap());
    encoder.finish().unwrap();
}

const MEGABYTE: usize = 1 << 20;

#[test]
fn compressed_nothing() {
    let folder = Folder::new("bomb-zeros");
    zstd(&folder, "zeros.csv.zst", "", &vec![0; MEGABYTE], 2000);
    assert!(std::fs::metadata(folder.path("zeros.csv.zst")).unwrap().len() < 400_000);
    let message = refused(&folder, &format!("fit zeros.csv.zst {FIT}"));
    assert!(message.contains("line 1 is longer than"), "{message}");
    zstd(&folder, "lines.csv.zst", "x,y\n1,1\n", &vec![b'\n'; MEGABYTE], 500);
    let message = refused(&folder, &format!("fit lines.csv.zst {FIT}"));
    assert!(message.contains("is longer than"), "{message}");
    let file = File::create(folder.path("zeros.csv.gz")).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    encoder.write_all(b"x,y\n").unwrap();
    io::copy(&mut io::repeat(0).take(500 << 20), &mut encoder).unwrap();
    encoder.finish().unwrap();
    let message = refused(&folder, &format!("fit zeros.csv.gz {FIT}"));
    assert!(message.contains("line 2 is longer than"), "{message}");
}

#[test]
fn devices_without_an_end() {
    let folder = Folder::new("bomb-devices");
    if !std::path::Path::new("/dev/zero").exists() {
        return;
    }
    let message = refused(&folder, &format!("fit /dev/zero {FIT}"));
    assert!(message.contains("'/dev/zero' line 1 is longer than"), "{message}");
    let arguments = format!("fit - {FIT} --memory 256M");
    let mut command = folder.command(&arguments);
    let said = Said::of(command.stdin(Stdio::from(File::open("/dev/zero").unwrap())).output().unwrap());
    assert!(sentence(&arguments, said).contains("'standard input' line 1 is longer than"));
    // Lines without an end.
    let mut command = folder.command(&arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines = "1,0\n".repeat(1 << 18);
    while input.write_all(lines.as_bytes()).is_ok() {}
    drop(input);
    let message = sentence(&arguments, Said::of(child.wait_with_output().unwrap()));
    assert!(message.contains("not enough memory for 'standard input' beyond"), "{message}");
}

#[test]
fn headers_and_records_without_an_end() {
    let folder = Folder::new("bomb-headers");
    folder.write("name.csv", format!("{},y\n1,1\n2,0\n", "n".repeat(50 * MEGABYTE)));
    let message = refused(&folder, &format!("fit name.csv {FIT}"));
    assert!(message.contains("line 1 is longer than"), "{message}");
    folder.write("long.csv", format!("{},y\n1,1\n2,0\n", "n".repeat(MEGABYTE)));
    let message = refused(&folder, &format!("fit long.csv {FIT}"));
    assert!(message.contains("column 1 of 'long.csv' has a name of 1048576 bytes"), "{message}");
    folder.write("commas.csv", format!("x{}\n1\n", ",".repeat(3 * MEGABYTE)));
    let message = refused(&folder, &format!("fit commas.csv {FIT}"));
    assert!(message.contains("not enough memory for the 3145729 columns of 'commas.csv'"), "{message}");
    folder.write("quote.csv", format!("x,y\n1,1\n2,\"{}", "a\n".repeat(30 * MEGABYTE)));
    let message = refused(&folder, &format!("fit quote.csv {FIT}"));
    assert!(message.contains("line 3 is longer than"), "{message}");
    folder.write("cells.csv", format!("x,y\n1,1\n{}\n", ",".repeat(40 * MEGABYTE)));
    let message = refused(&folder, &format!("fit cells.csv {FIT}"));
    assert!(message.contains("line 3 is longer than"), "{message}");
    // The hint of an unknown name takes no more than the header.
    let names: Vec<String> = (0..20_000).map(|i| format!("{}{i}", "n".repeat(150))).collect();
    folder.write("names.csv", format!("{}\n{}\n", names.join(","), vec!["1"; names.len()].join(",")));
    let message = refused(&folder, &format!("fit names.csv {FIT}"));
    assert!(message.contains("there is no column 'y'; the columns are"), "{message}");
}

#[test]
fn honest_tables_that_are_too_large() {
    let folder = Folder::new("bomb-honest");
    let text = format!("{},1\n{},0\n", "word ".repeat(2000), "text ".repeat(2000));
    zstd(&folder, "texts.csv.zst", "t,y\n", text.repeat(50).as_bytes(), 400);
    let message = refused(&folder, &format!("fit texts.csv.zst --text t {FIT}"));
    assert!(message.contains("not enough memory for 'texts.csv.zst' beyond"), "{message}");
    assert!(message.contains("--memory SIZE"), "{message}");
    // Words that are all different take more than the texts.
    let text = |i: usize| (0..100).map(|j| format!("w{:x} ", (100 * i + j) * 7919)).collect::<String>();
    let rows: String = (0..30_000).map(|i| format!("{},{}\n", text(i), u8::from(i % 5 == 0))).collect();
    folder.write("words.csv", format!("t,y\n{rows}"));
    let message = refused(&folder, &format!("fit words.csv --text t {FIT}"));
    assert!(message.contains("different words and phrases: it needs about"), "{message}");
    // How many texts fit, nobody can say before they are read.
    assert!(!message.contains("--max-unlabeled"), "{message}");
    let row = format!("{}1\n", "7,".repeat(400));
    let header: String = (0..400).map(|i| format!("x{i},")).collect::<String>() + "y\n";
    zstd(&folder, "numbers.csv.zst", &header, row.repeat(1000).as_bytes(), 200);
    let message = refused(&folder, &format!("fit numbers.csv.zst {FIT}"));
    assert!(message.contains("not enough memory for 'numbers.csv.zst' beyond"), "{message}");
    // Small as it is read, large as it is encoded.
    let rows: String = (0..400_000).map(|i| format!("c{},{}\n", i % 250, u8::from(i % 9 == 0))).collect();
    folder.write("levels.csv", format!("c,y\n{rows}"));
    let message = refused(&folder, &format!("fit levels.csv {FIT}"));
    assert!(message.contains("not enough memory for 400000 rows of 250 columns"), "{message}");
    assert!(!message.contains("--max-unlabeled"), "{message}");
    // What fits, fits.
    let rows: String = (0..2000).map(|i| format!("c{},{}\n", i % 250, u8::from(i % 9 == 0))).collect();
    folder.write("few.csv", format!("c,y\n{rows}"));
    assert_eq!(folder.run(&format!("fit -v few.csv {FIT} --memory 256M")).code, 0);
}

fn picture(folder: &Folder, name: &str, side: u32) {
    let file = io::BufWriter::new(File::create(folder.path(name)).unwrap());
    let mut encoder = png::Encoder::new(file, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![0; (side * side) as usize]).unwrap();
}

#[test]
fn pictures_texts_and_models() {
    let folder = Folder::new("bomb-files");
    for name in ["p", "u", "t", "v"] {
        std::fs::create_dir_all(folder.path(name)).unwrap();
    }
    picture(&folder, "p/a.png", 8000);
    picture(&folder, "u/b.png", 8000);
    let two = "fit --positives p --unlabeled u --prior 0.5 --out m.safetensors";
    let message = refused(&folder, two);
    assert!(message.contains("8000 x 8000 pixels"), "{message}");
    picture(&folder, "p/a.png", 8);
    for name in ["b", "c", "d", "e"] {
        picture(&folder, &format!("u/{name}.png"), 8);
    }
    let message = refused(&folder, &format!("{two} --image-shape 3x4096x4096"));
    assert!(message.contains("not enough memory for 5 pictures of 4096 x 4096 pixels"), "{message}");
    // Files of many bytes that take no place on the disk.
    let sparse = |name: &str| File::create(folder.path(name)).unwrap().set_len(20 << 30).unwrap();
    ["t/a.txt", "v/b.txt", "m.bin", "x.csv"].iter().for_each(|name| sparse(name));
    let message = refused(&folder, "fit --positives t --unlabeled v --prior 0.5 --out m.safetensors");
    assert!(message.contains("it needs about 20 GiB more"), "{message}");
    let message = refused(&folder, "predict m.bin x.csv");
    assert!(message.contains("not enough memory for the model 'm.bin'"), "{message}");
    let message = refused(&folder, &format!("fit x.csv {FIT}"));
    assert!(message.contains("line 1 is longer than"), "{message}");
}

#[test]
fn amounts_of_memory_are_checked() {
    let folder = Folder::new("bomb-sizes");
    folder.write("x.csv", "x,y\n1,1\n2,0\n3,0\n");
    for size in ["much", "0", "-1G", "2X"] {
        let message = folder.refused(&format!("fit x.csv {FIT} --memory={size}"));
        assert!(message.contains("is not an amount of memory; write it such as 2G or 512M"), "{message}");
    }
    for command in ["fit", "predict", "evaluate", "prior"] {
        assert!(folder.run(&format!("{command} --help")).stdout.contains("--memory <SIZE>"), "{command}");
    }
}

/// A limit of the system on addresses is found and kept, where nothing is said.
#[test]
#[cfg(target_os = "linux")]
fn the_limit_of_the_system_is_kept() {
    let folder = Folder::new("bomb-ulimit");
    zstd(&folder, "zeros.csv.zst", "", &vec![0; MEGABYTE], 1000);
    let row = format!("{}1\n", "7,".repeat(400));
    let header: String = (0..400).map(|i| format!("x{i},")).collect::<String>() + "y\n";
    zstd(&folder, "numbers.csv.zst", &header, row.repeat(1000).as_bytes(), 400);
    for table in ["zeros.csv.zst", "numbers.csv.zst", "/dev/zero"] {
        let script = format!("ulimit -v 600000; exec \"$0\" fit {table} {FIT}");
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(&script).arg(env!("CARGO_BIN_EXE_onesided")).current_dir(folder.path(""));
        sentence(table, Said::of(command.output().unwrap()));
    }
}

#[test]
fn trees_that_do_not_fit_are_refused_before_they_are_grown() {
    let folder = Folder::new("bomb-trees");
    let row = |i: usize| {
        format!("{},{},{},{}\n", i * 37 % 1009, i * 91 % 2003, i % 17, u8::from(i.is_multiple_of(9)))
    };
    let rows: String = (0..60_000).map(row).collect();
    folder.write("t.csv", format!("a,b,c,y\n{rows}"));
    // The table fits, but not what growing trees of it takes: 50 bytes per row, and scores on the way.
    let fit = "-v fit t.csv --label y --prior 0.5 --model trees --memory 40M --out m.safetensors";
    let said = folder.run(fit);
    assert!(!said.stderr.contains("trees/s"), "{said:?}");
    let message = sentence(fit, said);
    assert!(message.contains("not enough memory for 60000 rows"), "{message}");
    assert_eq!(folder.files(), ["t.csv"]);
}
