//! Long tables: what `predict` lists of them, and that nothing is left where it stops.

use crate::folder::{Folder, QUICK, table};
use std::io::Write;
use std::process::Stdio;

fn fitted(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit -v table.csv {QUICK} --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

#[test]
fn the_best_are_the_first_of_all() {
    let folder = fitted("top");
    // Every row three times, so that scores tie.
    let rows = table();
    let (header, rows) = rows.split_once('\n').unwrap();
    folder.write("new.csv", format!("{header}\n{rows}{rows}{rows}"));
    let all = folder.run("predict m.safetensors new.csv --id id --out -");
    assert_eq!((all.code, all.stdout.lines().count()), (0, 901), "{all:?}");
    for (top, lines) in [("1", 1), ("100", 100), ("37,5,12", 37), ("10%", 90), ("4,10%", 90), ("900", 900)] {
        let said = folder.run(&format!("predict m.safetensors new.csv --id id --out - --top {top}"));
        assert_eq!(said.code, 0, "{said:?}");
        let first: String = all.stdout.lines().take(lines + 1).map(|line| format!("{line}\n")).collect();
        assert!(said.stdout == first, "{top}");
        assert!(said.stderr.contains(&format!("wrote the {lines} best of 900 rows")), "{said:?}");
    }
    // Ties are in the order of the file.
    let ranked: Vec<(f32, usize)> = all
        .stdout
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[1].parse().unwrap(), cells[0].parse().unwrap())
        })
        .collect();
    assert!(
        ranked
            .windows(2)
            .all(|pair| pair[0].0 > pair[1].0 || (pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1))
    );
    assert!(ranked.windows(2).filter(|pair| pair[0].0 == pair[1].0).count() >= 600);
    // On screen, and as JSON.
    let said = folder.run("predict m.safetensors new.csv --top 25");
    assert_eq!((said.code, said.stdout.lines().count()), (0, 26), "{said:?}");
    let object = folder.json("predict m.safetensors new.csv --top 25");
    assert_eq!((object["listed"].as_u64(), object["rows"].as_u64()), (Some(25), Some(900)));
    assert_eq!(object["top"].as_array().unwrap().len(), 25);
}

#[test]
fn more_than_there_are_is_all_and_none_is_refused() {
    let folder = fitted("top-wrong");
    let said = folder.run("predict m.safetensors table.csv --top 301 --out list.csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.stderr.contains("note: the first 301 rows were asked for, but there are 250: all"),
        "{said:?}"
    );
    assert_eq!(std::fs::read_to_string(folder.path("list.csv")).unwrap().lines().count(), 251);
    for (top, why) in [
        ("0", "--top: '0' is not a number of rows"),
        ("-3", "--top: '-3' is not a number of rows"),
        ("few", "--top: 'few' is not a number of rows"),
        ("0%", "--top: '0%' is not a number of rows"),
    ] {
        let error = folder.refused(&format!("predict m.safetensors table.csv --out x.csv --top {top}"));
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn columns_are_kept_as_they_are() {
    let folder = fitted("keep");
    let mut text = "id,a,b,y,t,score,note\n".to_string();
    for (at, line) in table().lines().skip(1).enumerate() {
        text.push_str(&format!("{line}, 0{at} ,\"say \"\"{at}\"\", =1+1\"\n"));
    }
    folder.write("new.csv", &text);
    let keep = "predict m.safetensors new.csv --id id --top 3 --out -";
    let said = folder.run(&format!("{keep} --keep score,note,a --yes-no"));
    let mut lines = said.stdout.lines();
    assert_eq!(lines.next(), Some("row,score,probability,rank,id,positive,kept_score,note,a"), "{said:?}");
    let first = lines.next().unwrap();
    let row: usize = first.split(',').next().unwrap().parse().unwrap();
    let a = table().lines().nth(row).unwrap().split(',').nth(1).unwrap().to_string();
    let kept = format!("r{0},yes, 0{0} ,\"say \"\"{0}\"\", =1+1\",{a}", row - 1);
    assert!(first.ends_with(&kept), "{first} {kept}");
    // All of them, in the order of the file; the identifier is not there twice.
    let said = folder.run(&format!("{keep} --keep all"));
    assert_eq!(
        said.stdout.lines().next(),
        Some("row,score,probability,rank,id,a,b,y,t,kept_score,note"),
        "{said:?}"
    );
    // An identifier that is called as a column of the list keeps its name, with a word before it.
    let said = folder.run("predict m.safetensors new.csv --id score,id --top 1 --out -");
    assert_eq!(said.stdout.lines().next(), Some("row,score,probability,rank,id_score,id"), "{said:?}");
    let object = folder.json("predict m.safetensors new.csv --id id --keep note,t --yes-no --top 1");
    let best = &object["top"][0];
    assert_eq!((best["positive"].as_bool(), best["kept"]["t"].as_str()), (Some(true), Some("1")), "{object}");
    let error = folder.refused("predict m.safetensors new.csv --keep nte --out x.csv");
    assert!(error.contains("'nte'") && error.contains("did you mean 'note'?"), "{error}");
    let said = folder.run("predict m.safetensors new.csv --keep note --out -  --safe-csv");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.lines().next().unwrap().ends_with("rank,note"), "{said:?}");
}

#[test]
fn a_stream_is_listed_like_its_file() {
    let folder = fitted("stdin-keep");
    let list = folder.run("predict m.safetensors table.csv --id a --keep t,id --out -");
    assert_eq!(list.code, 0, "{list:?}");
    let mut command = folder.command("predict m.safetensors - --id a --keep t,id --out -");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(table().as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success() && String::from_utf8(out.stdout).unwrap() == list.stdout);
}

/// What is wrong with the end of a table is found after its start was scored.
#[test]
fn a_table_that_ends_badly_leaves_nothing() {
    let folder = fitted("bad-end");
    for (name, end, why) in [
        ("ragged.csv", "r,1,2,3,4,5\n", "line 302 has 6 cells"),
        ("infinite.csv", "r,inf,1,0,0\n", "line 302, column 'a': inf is not a finite number"),
    ] {
        folder.write(name, table() + end);
        for command in ["predict m.safetensors FILE --out x.csv", "evaluate m.safetensors FILE --label y"] {
            let error = folder.refused(&command.replace("FILE", name));
            assert!(error.contains(why), "{error}");
        }
        // Nothing of the list was written to a pipe either.
        let said = folder.run(&format!("predict m.safetensors {name} --out -"));
        assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{said:?}");
    }
    let packed = zstd::encode_all(table().repeat(50).as_bytes(), 3).unwrap();
    folder.write("cut.csv.zst", &packed[..packed.len() - 9]);
    let error = folder.refused("predict m.safetensors cut.csv.zst --out x.csv");
    assert!(error.contains("zstd stream"), "{error}");
}

#[test]
fn a_draw_of_the_unlabeled_rows_keeps_the_shares() {
    let folder = Folder::new("max-unlabeled");
    folder.write("table.csv", table());
    let fit = format!("fit -v table.csv {QUICK}");
    let said = folder.run(&format!("{fit} --max-unlabeled 100 --seed 3 --out a.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("note: 100 of 250 unlabeled rows were drawn"), "{said:?}");
    assert!(said.stderr.contains("50 positives, 100 unlabeled rows, 2 features"), "{said:?}");
    // μ = (0.3333 · 300 - 50) / 250, of all rows and not of the draw.
    assert!(said.stderr.contains("0.333 in the population (given), 0.2 in the unlabeled"), "{said:?}");
    let object = folder.json(&format!("{fit} --max-unlabeled 100 --seed 3 --out b.safetensors"));
    assert_eq!((object["positive"].as_u64(), object["unlabeled"].as_u64()), (Some(50), Some(250)));
    let share = |object: &serde_json::Value| object["prior_in_unlabeled"].as_f64().unwrap();
    assert!(object["prior"] == 0.3333 && (share(&object) - 0.19996).abs() < 1e-12, "{object}");
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("a.safetensors") == read("b.safetensors"));
    let other = folder.run(&format!("{fit} --max-unlabeled 100 --seed 4 --out c.safetensors"));
    assert!(other.code == 0 && read("a.safetensors") != read("c.safetensors"), "{other:?}");
    // As many as there are, or more, is not a draw.
    let (all, plain) = (format!("{fit} --max-unlabeled 250"), fit.clone());
    for (command, out) in [(all, "all.safetensors"), (plain, "plain.safetensors")] {
        let said = folder.run(&format!("{command} --out {out}"));
        assert!(said.code == 0 && !said.stderr.contains("were drawn"), "{said:?}");
    }
    assert!(read("all.safetensors") == read("plain.safetensors"));
    // A reserve is taken from the same shares.
    let object = folder.json(&format!("{fit} --max-unlabeled 100 --reserve 20 --out r.safetensors"));
    assert_eq!((object["reserved"].as_u64(), object["unlabeled"].as_u64()), (Some(20), Some(250)));
    assert!((share(&object) - 0.19996).abs() < 1e-12, "{object}");
}

#[test]
fn draws_that_cannot_be_are_refused() {
    let folder = Folder::new("max-unlabeled-wrong");
    folder.write("table.csv", table());
    std::fs::create_dir_all(folder.path("texts")).unwrap();
    folder.write("texts/a.txt", "a text");
    let fit = "fit -v table.csv --drop id --out m.safetensors";
    for (flags, why) in [
        (format!("{fit} --label y --max-unlabeled 0"), "--max-unlabeled must be at least 1, but is 0"),
        (
            format!("{fit} --label y --max-unlabeled many"),
            "--max-unlabeled must be a whole number, but is 'many'",
        ),
        (format!("{fit} --truth t --method supervised --max-unlabeled 9"), "the method supervised has none"),
        (
            "fit -v --positives texts --unlabeled texts --max-unlabeled 9 --out m.safetensors".to_string(),
            "draws from the rows of tables",
        ),
    ] {
        let error = folder.refused(&flags);
        assert!(error.contains(why), "{flags}: {error}");
    }
}

#[test]
fn a_table_without_memory_for_it_can_be_drawn_from() {
    let folder = Folder::new("draw-proposed");
    let row =
        |i: usize| format!("{}{}\n", format!("{}.5,", i % 91).repeat(40), u8::from(i.is_multiple_of(50)));
    let header: String = (0..40).map(|at| format!("x{at},")).collect();
    let rows: String = (0..1000).map(row).collect();
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.write_all(format!("{header}y\n").as_bytes()).unwrap();
    (0..400).for_each(|_| encoder.write_all(rows.as_bytes()).unwrap());
    folder.write("long.csv.zst", encoder.finish().unwrap());
    let fit = "fit -v long.csv.zst --label y --prior 0.3 --model linear --epochs 1 --memory 64M --out m.safetensors";
    let error = folder.refused(fit);
    // (2^26 − 48 · 2^20 − 8 · 400,000) / (40 · 16) = 21,214, of which 8,000 are labeled.
    assert!(error.ends_with("which would fit, with --max-unlabeled 10000"), "{error}");
    assert!(error.contains("not enough memory for 'long.csv.zst' beyond its first "), "{error}");
    let said = folder.run(&format!("{fit} --max-unlabeled 10000"));
    assert_eq!(said.code, 0, "{said:?}");
    let said = folder.run(&fit.replace("64M", "128M --max-unlabeled 50000"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("50,000 of 392,000 unlabeled rows were drawn"), "{said:?}");
}
