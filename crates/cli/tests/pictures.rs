//! Pictures as input: folders, a folder per class, files named in a table, and a table of pixels.

use crate::folder::Folder;
use std::fs;

/// Pixels of noise, bright in the left half or in the right one.
fn pixels(i: u64, left: bool, side: usize) -> Vec<u8> {
    let mut state = i.wrapping_mul(2).wrapping_add(u64::from(left)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut noise = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as u8 % 90
    };
    let bright = |at: usize| (at % side < side / 2) == left;
    (0..side * side).map(|at| noise() + if bright(at) { 130 } else { 20 }).collect()
}

fn png(width: usize, height: usize, gray: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(gray).unwrap();
    writer.finish().unwrap();
    bytes
}

fn picture(i: u64, left: bool) -> Vec<u8> {
    png(8, 8, &pixels(i, left, 8))
}

/// `good`: 60 pictures that are bright on the left. `rest`: 40 of them and 80 that are bright on the right. `new`: 5 of
/// each.
fn folders(test: &str) -> Folder {
    let folder = Folder::new(test);
    for inner in ["good", "rest", "new"] {
        fs::create_dir(folder.path(inner)).unwrap();
    }
    for i in 0..60 {
        folder.write(&format!("good/g{i:03}.png"), picture(i, true));
    }
    for i in 0..120 {
        folder.write(&format!("rest/r{i:03}.png"), picture(100 + i, i < 40));
    }
    for i in 0..5 {
        folder.write(&format!("new/left{i}.png"), picture(300 + i, true));
        folder.write(&format!("new/right{i}.png"), picture(300 + i, false));
    }
    folder
}

const TWO: &str = "--positives good --unlabeled rest";
const OUT: &str = "--out m.safetensors";

#[test]
fn two_folders_from_fit_to_evaluate() {
    let folder = folders("pictures-two");
    let said = folder.run(&format!("fit -v {TWO} --epochs 3 {OUT}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("60 positives, 120 unlabeled pictures, 8 x 8 pixels, gray"), "{said:?}");
    assert!(said.stderr.contains("scenario: case-control (the default for two folders)"), "{said:?}");
    assert!(said.stdout.contains("with cnn"), "{said:?}");

    let top = folder.json("predict m.safetensors new");
    assert_eq!(top["rows"], 10);
    let names: Vec<&str> =
        top["top"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert!(names[..5].iter().all(|name| name.starts_with("left") && name.ends_with(".png")), "{names:?}");
    assert_eq!(folder.run("predict m.safetensors new --out ranked.csv").code, 0);
    let ranked = fs::read_to_string(folder.path("ranked.csv")).unwrap();
    assert!(
        ranked.starts_with("row,score,probability,rank,file,probability_low,probability_high\n"),
        "{ranked}"
    );
    assert_eq!(ranked.matches(".png,").count(), 10);

    let measured = folder.json(&format!("evaluate m.safetensors {TWO}"));
    assert_eq!((&measured["measured"], &measured["rows"]), (&"without negatives".into(), &180.into()));
    assert!(measured["auc"].as_f64().unwrap() > 0.9, "{measured}");
}

#[test]
fn two_fits_give_the_same_bytes() {
    let folder = folders("pictures-same");
    for name in ["a.safetensors", "b.safetensors"] {
        let said = folder.run(&format!("fit -v {TWO} --prior 0.3333 --epochs 1 --augment flip --out {name}"));
        assert_eq!(said.code, 0, "{said:?}");
    }
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(bytes("a.safetensors") == bytes("b.safetensors"));
}

#[test]
fn a_broken_picture_is_named_and_left_out_or_refused() {
    let folder = folders("pictures-broken");
    folder.write("rest/r050.png", &picture(1, true)[..40]);
    folder.write("rest/r051.png", b"");
    let fit = format!("fit -v {TWO} --prior 0.3333 --epochs 1 {OUT}");
    let message = folder.refused(&format!("{fit} --missing refuse"));
    assert!(message.contains("2 of 180 pictures cannot be read, first 'rest/r050.png'"), "{message}");
    let said = folder.run(&fit);
    assert_eq!(said.code, 0, "{said:?}");
    let warned = said.stderr.lines().find(|line| line.starts_with("warning: ")).unwrap_or_default();
    assert!(warned.contains("2 of 180") && warned.contains("rest/r050.png"), "{said:?}");
    assert!(said.stderr.contains("60 positives, 118 unlabeled pictures"), "{said:?}");
    // What is scored later may be broken too.
    folder.write("new/torn.png", b"\x89PNG\r\n\x1a\n");
    let found = folder.json("predict m.safetensors new");
    assert_eq!(found["rows"], 10);
    assert!(found["warnings"][0].as_str().unwrap().contains("torn.png"), "{found}");
    let only = folder.path("only");
    fs::create_dir(&only).unwrap();
    fs::write(only.join("torn.png"), b"no picture").unwrap();
    assert!(folder.refused("predict m.safetensors only").contains("1 of 1 pictures cannot be read"));
}

#[test]
fn a_folder_per_class() {
    let folder = Folder::new("pictures-classes");
    for class in ["cat", "dog"] {
        fs::create_dir_all(folder.path("pets").join(class)).unwrap();
        for i in 0..60 {
            folder.write(&format!("pets/{class}/{i}.png"), picture(i, class == "dog"));
        }
    }
    let fit = "fit -v pets --prior-in-unlabeled 0.1 --epochs 2";
    let said = folder.run(&format!("{fit} --positive dog {OUT}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("60 positives, 60 unlabeled pictures"), "{said:?}");
    assert!(said.stderr.contains("the default for one folder"), "{said:?}");
    let top = folder.json("predict m.safetensors pets --in-sample")["top"].clone();
    assert!(top[0]["id"].as_str().unwrap().starts_with("dog/"), "{top}");
    // The folders it was fitted on tell labels, and others the truth.
    let measured = folder.json("evaluate m.safetensors pets --positive dog");
    assert_eq!((&measured["measured"], &measured["rows"]), (&"without negatives".into(), &120.into()));
    for class in ["cat", "dog"] {
        fs::create_dir_all(folder.path("new").join(class)).unwrap();
        for i in 100..130 {
            folder.write(&format!("new/{class}/{i}.png"), picture(i, class == "dog"));
        }
    }
    let measured = folder.json("evaluate m.safetensors new --positive dog");
    assert_eq!((&measured["measured"], &measured["rows"]), (&"against true labels".into(), &60.into()));
    assert!(measured["auc"].as_f64().unwrap() > 0.9, "{measured}");
    let message = folder.refused("importance m.safetensors new --positive dog");
    assert!(message.contains("the model takes pictures"), "{message}");
    let message = folder.refused("evaluate m.safetensors pets --positive cow");
    assert!(message.contains("'pets' has no folder 'cow'; its folders are 'cat', 'dog'"), "{message}");
    let message = folder.refused("evaluate m.safetensors pets/cat --positive dog");
    assert!(message.contains("'pets/cat' has no folder per class"), "{message}");
    let message = folder.refused(&format!("{fit} {OUT}"));
    assert!(message.contains("are classes ('cat', 'dog'); say which is positive"), "{message}");
    assert!(message.ends_with("--positive VALUE"), "{message}");
    let message = folder.refused(&format!("{fit} --positive cow {OUT}"));
    assert!(message.contains("'cow'") && message.contains("'cat', 'dog'"), "{message}");
    // The folders are the truth, where the user says so.
    let supervised = folder.json(&format!("fit -v pets --method supervised --positive dog --epochs 3 {OUT}"));
    assert_eq!((&supervised["method"], &supervised["prior"]), (&"supervised".into(), &0.5.into()));
}

#[test]
fn files_named_in_a_table() {
    let folder = folders("pictures-table");
    let row = |i: u32| format!("rest/r{i:03}.png,{},{}\n", u32::from(i < 20), u32::from(i < 40));
    folder.write("list.csv", format!("file,y,t\n{}", (0..120).map(row).collect::<String>()));
    let fit = "fit -v list.csv --image file --label y --prior 0.3333 --epochs 3";
    let said = folder.run(&format!("{fit} {OUT}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("20 positives, 100 unlabeled pictures"), "{said:?}");
    assert!(folder.json("evaluate m.safetensors list.csv --truth t")["auc"].as_f64().unwrap() > 0.9);
    let top = folder.json("predict m.safetensors list.csv --id file,t")["top"][0].clone();
    assert!(top["id"].as_str().unwrap().starts_with("rest/r0"), "{top}");
    // A shape of one's own.
    let said = folder.run(&format!("{fit} --image-shape 3x16x12 {OUT}"));
    assert!(said.code == 0 && said.stderr.contains("12 x 16 pixels, 3 channels"), "{said:?}");
    assert!(folder.refused(&format!("{fit} --image-shape 2x8x8 {OUT}")).contains("not 2"));
}

#[test]
fn a_model_and_data_of_different_kinds() {
    let folder = folders("pictures-kinds");
    assert_eq!(folder.run(&format!("fit -v {TWO} --prior 0.3333 --epochs 1 {OUT}")).code, 0);
    folder.write("table.csv", crate::folder::table());
    let message = folder.refused("predict m.safetensors table.csv");
    assert!(message.contains("the model was fitted on pictures, but 'table.csv' holds a table"), "{message}");
    let message = folder.refused("evaluate m.safetensors table.csv --truth t");
    assert!(message.contains("the model was fitted on pictures"), "{message}");
    assert!(folder.refused("predict m.safetensors gone").contains("there is no file 'gone'"));
    let fit = format!("fit -v table.csv {} --out t.safetensors", crate::folder::QUICK);
    assert_eq!(folder.run(&fit).code, 0);
    assert!(folder.refused("predict t.safetensors new").contains("the model was fitted on a table"));
    let message = folder.refused("bound m.safetensors table.csv --label y");
    assert!(
        message.contains("the bound is computed on a table, but the model was fitted on pictures"),
        "{message}"
    );
}

#[test]
fn folders_without_pictures_and_pictures_of_one_pixel() {
    let folder = folders("pictures-odd");
    fs::create_dir(folder.path("none")).unwrap();
    let message = folder.refused(&format!("fit -v --positives none --unlabeled rest --prior 0.3 {OUT}"));
    assert!(message.contains("'none' holds neither pictures (.png, .jpg) nor texts"), "{message}");
    folder.write("none/a.gif", "GIF89a");
    let message = folder.refused(&format!("fit -v --positives good --unlabeled none --prior 0.3 {OUT}"));
    assert!(message.contains("'none' holds neither pictures"), "{message}");
    folder.write("none/a.txt", "a text");
    let message = folder.refused(&format!("fit -v --positives good --unlabeled none --prior 0.3 {OUT}"));
    assert!(message.contains("'good' holds pictures and 'none' texts"), "{message}");
    assert!(
        folder.refused(&format!("fit -v good --prior 0.3 {OUT}")).contains("'good' is a folder; name two")
    );
    assert!(folder.refused(&format!("fit -v {TWO} --label y {OUT}")).contains("need no --label"));

    for (inner, light) in [("one", 200), ("other", 40)] {
        fs::create_dir(folder.path(inner)).unwrap();
        for i in 0..40u8 {
            folder.write(&format!("{inner}/{i}.png"), png(1, 1, &[light + i % 9]));
        }
    }
    let fit = format!("fit -v --positives one --unlabeled other --prior 0.1 --epochs 1 {OUT}");
    let message = folder.refused(&format!("{fit} --model cnn"));
    assert!(message.contains("cnn needs images of at least 4x4 pixels"), "{message}");
    let said = folder.run(&fit);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("1 x 1 pixels, gray"), "{said:?}");
    assert_eq!(folder.json("predict m.safetensors other")["rows"], 40);
}

/// As MNIST in a table: bytes, many of which are 0 in every row.
#[test]
fn a_table_of_pixels() {
    let folder = Folder::new("pictures-pixels");
    let header: String = (0..64).map(|at| format!("p{at},")).collect();
    let row = |i: u64| {
        let left = i.is_multiple_of(3);
        let values = pixels(i, left, 8);
        let cells = values.iter().enumerate().map(|(at, &value)| match at / 8 {
            0 | 7 => "0,".to_string(),
            _ => format!("{value},"),
        });
        format!("{}{},{}\n", cells.collect::<String>(), u8::from(i.is_multiple_of(6)), u8::from(left))
    };
    folder.write("t.csv", format!("{header}y,t\n{}", (0..180).map(row).collect::<String>()));
    let fit = "fit -v t.csv --label y --drop t --prior 0.3333 --epochs 3";
    let said = folder.run(&format!("{fit} --image-shape 1x8x8 --model cnn {OUT}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("8 x 8 pixels"), "{said:?}");
    assert!(folder.json("evaluate m.safetensors t.csv --truth t")["auc"].as_f64().unwrap() > 0.9);
    // Columns can be chosen: the middle rows of the images.
    let middle: Vec<String> = (8..56).map(|at| format!("p{at}")).collect();
    let said = folder.run(&format!("{fit} --image-shape 1x6x8 --only {} {OUT}", middle.join(",")));
    assert!(said.code == 0 && said.stderr.contains("8 x 6 pixels"), "{said:?}");
    let message = folder.refused(&format!("{fit} --model cnn {OUT}"));
    assert!(message.contains("the model cnn takes pictures, but the rows are tables"), "{message}");
}

#[test]
fn augmentation_is_for_pictures() {
    let folder = folders("pictures-augment");
    let said = folder.run(&format!("fit -v {TWO} --prior 0.3333 --epochs 1 --augment crop+flip {OUT}"));
    assert_eq!(said.code, 0, "{said:?}");
    folder.write("table.csv", crate::folder::table());
    let message = folder.refused(&format!("fit -v table.csv {} --augment flip {OUT}", crate::folder::QUICK));
    assert!(message.contains("--augment is for networks on pictures"), "{message}");
    let message = folder.refused(&format!("fit -v {TWO} --model trees --augment flip {OUT}"));
    assert!(message.contains("--augment is for networks on pictures, and the model trees"), "{message}");
}

#[test]
fn a_teacher_takes_part_and_its_numbers_are_checked() {
    let folder = folders("pictures-teacher");
    let fit = format!("fit -v {TWO} --prior 0.3333 --epochs 2");
    let said = folder.run(&format!("{fit} --teacher on {OUT}"));
    assert_eq!(said.code, 0, "{said:?}");
    let about = folder.json("evaluate m.safetensors --positives good --unlabeled rest");
    assert!(about["auc_pu"].is_number(), "{about}");
    // Without a share, the network that is taught tells it: a third of `rest`.
    let said = folder.json(&format!("fit -v {TWO} --epochs 12 --teacher strength=0.3,ramp=2 {OUT}"));
    assert_eq!(said["prior_estimate"]["scorer"], "taught", "{said}");
    let share = said["prior_estimate"]["mu"].as_f64().unwrap();
    assert!((0.2..0.47).contains(&share), "{share}");
    let message = folder.refused(&format!("{fit} --teacher rate=1 {OUT}"));
    assert!(message.contains("the teacher's rate must be 0 or above and below 1, but is 1"), "{message}");
    let message = folder.refused(&format!("{fit} --teacher yes {OUT}"));
    assert!(message.contains("unknown teacher 'yes'; use on, off"), "{message}");
    let message = folder.refused(&format!("{fit} --teacher rate=x {OUT}"));
    assert!(message.contains("the teacher's rate must be a number, but is 'x'"), "{message}");
    // Without a value it is on; a file behind it is taken for one.
    let said = folder.run(&format!("{fit} {OUT} --teacher"));
    assert_eq!(said.code, 0, "{said:?}");
    let message = folder.refused(&format!("{fit} {OUT} --teacher good"));
    assert!(message.contains("'good' stands where --teacher takes its value"), "{message}");
}

#[test]
fn two_folders_without_their_flags() {
    let folder = folders("pictures-flags");
    let message = folder.refused(&format!("fit -v good rest {OUT}"));
    assert!(message.contains("two folders are given as --positives FOLDER --unlabeled FOLDER"), "{message}");
    let message = folder.refused(&format!("fit -v good gone {OUT}"));
    assert!(message.contains("'gone' is one argument too many"), "{message}");
}

/// Answers about the pictures of a folder are learned from, and tell the share.
#[test]
fn answers_about_a_folder_are_learned_from() {
    let folder = folders("pictures-audit");
    let fit = format!("fit -v {TWO} --prior-in-unlabeled 0.4 --epochs 3");
    let said = folder.run(&format!("{fit} {OUT}"));
    assert_eq!(said.code, 0, "{said:?}");
    let said = folder.run("audit draw m.safetensors rest --rows 60 --out rows.csv");
    assert_eq!(said.code, 0, "{said:?}");
    let drawn = fs::read_to_string(folder.path("rows.csv")).unwrap();
    let mut lines = drawn.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| names.iter().position(|other| *other == name).unwrap();
    let mut answered = format!("{}\n", names.join(","));
    let mut yes = 0;
    for line in lines {
        let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
        let number: usize =
            cells[at("file")].trim_start_matches('r').trim_end_matches(".png").parse().unwrap();
        yes += usize::from(number < 40);
        cells[at("positive")] = if number < 40 { "yes" } else { "no" }.to_string();
        answered.push_str(&format!("{}\n", cells.join(",")));
    }
    folder.write("rows.csv", answered);
    let told = folder.json(&format!("fit -v {TWO} --epochs 3 --audit rows.csv --out n.safetensors"));
    assert_eq!(told["positive"], 60 + yes, "{told}");
    assert_eq!(told["negative"], 60 - yes, "{told}");
    assert_eq!(told["prior_estimate"]["audited"], 60, "{told}");
    // What is left holds 40 - yes of 60.
    let left = (40 - yes) as f64 / 60.0;
    let mu = told["prior_in_unlabeled"].as_f64().unwrap();
    assert!((mu - left).abs() < 0.15, "{mu} for {left}");
    // Other pictures are not those that were asked about.
    let refused = folder
        .refused("fit -v --positives good --unlabeled new --epochs 3 --audit rows.csv --out o.safetensors");
    assert!(refused.contains("rows.csv"), "{refused}");
}

/// A page of pictures shows the pictures: those of the list, those that the model doubts, and which parts it looks at.
#[test]
fn a_page_shows_the_pictures() {
    let folder = folders("pictures-page");
    let said = folder.run(&format!("fit {TWO} --prior-in-unlabeled 0.4 --epochs 3 {OUT} --report p.html"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("it contains 50 pictures\n"), "{said:?}");
    let page = fs::read_to_string(folder.path("p.html")).unwrap();
    let part = |id: &str| {
        page.split(&format!("<section id=\"{id}\"")).nth(1).unwrap().split("</section>").next().unwrap()
    };
    assert_eq!(part("rows").matches("src=\"data:image/png;base64,").count(), 50);
    let drives = part("drives");
    for title in
        ["What it looks at", "Between which it decides", "Labeled positive, and ranked low", "Ranked last"]
    {
        assert!(drives.contains(title), "{title}: {drives}");
    }
    assert_eq!(drives.matches("<svg class=\"seen").count(), 6);
    assert!(drives.contains("class=\"part c0\""), "some part speaks for a picture");
    assert!(page.len() < 1_000_000 && page.contains("This page contains pictures."));
    let said = folder.run(&format!("report m.safetensors {TWO} --no-rows --out none.html"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!fs::read_to_string(folder.path("none.html")).unwrap().contains("data:image"));
}
