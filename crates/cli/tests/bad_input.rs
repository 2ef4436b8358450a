//! Bad input: exit 2, one sentence that says what and where, nothing written.

use crate::folder::{Folder, QUICK, table};

const OUT: &str = "--out m.safetensors";

/// A folder with a small sound table `x.csv` (columns x, z, y) and the flags to fit it.
fn small(test: &str) -> Folder {
    let folder = Folder::new(test);
    let rows: Vec<String> = (0..20).map(|i| format!("{i},{},{}\n", i % 7, u8::from(i < 5))).collect();
    folder.write("x.csv", format!("x,z,y\n{}", rows.concat()));
    folder
}

fn fit(folder: &Folder, more: &str) -> String {
    folder.refused(&format!("fit -v x.csv --label y --model linear --epochs 2 {more} {OUT}"))
}

/// What is said of a table with this content.
fn said_of(test: &str, content: &str) -> String {
    let folder = Folder::new(test);
    folder.write("x.csv", content);
    fit(&folder, "--prior 0.5")
}

#[test]
fn a_missing_file() {
    let message =
        Folder::new("missing-file").refused(&format!("fit -v none.csv --label y --prior 0.5 {OUT}"));
    assert!(message.contains("there is no file 'none.csv'"), "{message}");
}

#[test]
fn a_missing_column() {
    let folder = small("missing-column");
    let message = folder.refused(&format!("fit -v x.csv --label yy --prior 0.5 {OUT}"));
    assert!(message.contains("there is no column 'yy'"), "{message}");
}

#[test]
fn labels_outside_the_pairs() {
    let message = said_of("labels", "x,y\n1,2\n2,3\n");
    assert!(message.contains("'2', '3'") && message.contains("--positive VALUE"), "{message}");
}

#[test]
fn no_positives_and_no_unlabeled() {
    assert!(said_of("no-positives", "x,y\n1,0\n2,0\n").contains("no positives among 2 rows"));
    assert!(said_of("no-unlabeled", "x,y\n1,1\n2,1\n").contains("none is unlabeled"));
}

#[test]
fn values_that_are_not_finite() {
    for value in ["inf", "-Infinity"] {
        let message = said_of("not-finite", &format!("x,y\n1,1\n{value},0\n"));
        assert!(message.contains("line 3, column 'x'"), "{message}");
    }
}

/// Columns that tell nothing are left out and named; a table of nothing else is refused.
#[test]
fn a_constant_column_and_an_empty_one() {
    let folder = Folder::new("constant");
    let rows: String = (0..20).map(|i| format!("{i},5,,{}\n", u8::from(i < 5))).collect();
    folder.write("x.csv", format!("x,c,e,y\n{rows}"));
    let fit = format!("fit -v x.csv --label y --prior 0.5 --model linear --epochs 2 {OUT}");
    let said = folder.run(&fit);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("note: c is left out: the same value in every row\n"), "{said:?}");
    assert!(said.stderr.contains("note: e is left out: empty in every row\n"), "{said:?}");
    assert!(said.stderr.contains("5 positives, 15 unlabeled rows, 1 feature"), "{said:?}");
    let message = folder.refused(&format!("{fit} --drop x"));
    assert!(message.contains("no feature columns are left"), "{message}");
}

#[test]
fn a_ragged_row() {
    assert!(said_of("ragged", "x,y\n1,1\n2\n").contains("line 3 has 1 cells but the header has 2"));
}

#[test]
fn missing_cells_when_they_are_refused() {
    let folder = Folder::new("missing-cells");
    folder.write("x.csv", "x,y\n1,1\n,0\n3,0\n");
    let message = fit(&folder, "--prior 0.5 --missing refuse");
    assert!(message.contains("line 3") && message.contains("missing"), "{message}");
}

#[test]
fn a_prior_outside_its_range() {
    let folder = small("prior-range");
    for prior in ["0", "1.2", "-0.5", "1"] {
        let message = fit(&folder, &format!("--prior {prior}"));
        assert!(message.contains(&format!("must lie strictly between 0 and 1, but is {prior}")), "{message}");
        let message = fit(&folder, &format!("--prior-in-unlabeled {prior}"));
        assert!(message.contains(&format!("must lie strictly between 0 and 1, but is {prior}")), "{message}");
    }
    assert!(fit(&folder, "--prior half").contains("unknown prior 'half'; use a number or auto"));
    assert!(
        fit(&folder, "--prior 0,3")
            .ends_with("unknown prior '0,3'; use a number or auto (did you mean 0.3?)")
    );
    let message = fit(&folder, "--prior-in-unlabeled 0,3");
    assert!(message.ends_with("use a number (did you mean 0.3?)"), "{message}");
    assert!(fit(&folder, "--prior 300%").contains("must lie strictly between 0 and 1, but is 3"));
}

#[test]
fn a_prior_that_the_labels_contradict() {
    let message = fit(&small("prior-impossible"), "--prior 0.2");
    let expected = "a class prior of 0.2 is impossible in the single-sample scenario: 5 of 20 rows";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn no_prior_and_two_priors() {
    let folder = small("priors");
    let message = fit(&folder, "--prior auto --method naive");
    assert!(message.contains("the method naive needs no prior"), "{message}");
    assert!(fit(&folder, "--prior 0.5 --prior-in-unlabeled 0.4").contains("cannot be used with"));
}

#[test]
fn names_that_do_not_exist() {
    let folder = small("names");
    let fit = |folder: &Folder, more: &str| folder.refused(&format!("fit -v x.csv --label y {more} {OUT}"));
    assert!(fit(&folder, "--prior 0.5 --method colective").contains("did you mean 'collective'?"));
    assert!(fit(&folder, "--prior 0.5 --reduction mean").contains("unknown reduction 'mean'"));
    assert!(fit(&folder, "--prior 0.5 --surrogate hinge").contains("unknown surrogate loss 'hinge'"));
    assert!(fit(&folder, "--prior 0.5 --scenario both").contains("unknown scenario 'both'"));
    assert!(fit(&folder, "--prior 0.5 --threshold 0.4").contains("unknown threshold rule '0.4'"));
    assert!(fit(&folder, "--prior 0.5 --missing zero").contains("unknown policy for missing values 'zero'"));
    assert!(fit(&folder, "--prior 0.5 --model resnet").contains("resnet"));
    assert!(fit(&folder, "--prior 0.5 --image-shape 8x8").contains("'8x8' is not an image shape"));
    assert!(fit(&folder, "--prior 0.5 --image-shape 1x8x8").contains("64 values, but the table has 2"));
    assert!(fit(&folder, "--prior 0.5 --drop w").contains("there is no column 'w'"));
    assert!(fit(&folder, "--prior 0.5 --wait").contains("has no flag '--wait'; see onesided fit --help"));
    assert!(folder.refused("").contains("name a command"));
}

#[test]
fn settings_out_of_range() {
    let folder = small("settings");
    let fit = |folder: &Folder, more: &str| folder.refused(&format!("fit -v x.csv --label y {more} {OUT}"));
    assert!(fit(&folder, "--prior 0.5 --epochs 0").contains("epochs must be at least 1"));
    assert!(
        fit(&folder, "--prior 0.5 --learning-rate -1")
            .contains("learning rate must be a positive number, but is -1")
    );
    assert!(
        fit(&folder, "--prior 0.5 --hold-out 1")
            .contains("share held out must be strictly between 0 and 1, but is 1")
    );
    assert!(fit(&folder, "--prior 0.5 --method nnpu --gamma 3").contains("gamma"));
    assert!(fit(&folder, "--prior 0.5 --epochs 2.5").contains("'2.5'; use a whole number"));
    assert!(fit(&folder, "--prior 0.5 --threads -1").contains("'-1'; use a whole number"));
    assert!(fit(&folder, "--prior 0.5 --beta much").contains("unknown beta 'much'; use a number"));
    assert!(fit(&folder, "--prior 0.5 --batch 1").contains("batch size must be at least 2"));
}

#[test]
fn devices_precisions_and_augmentations_that_do_not_exist() {
    let folder = small("devices");
    for device in ["gpu", "cuda:x", "cuda:", "CUDA", "cuda:-1"] {
        let message = fit(&folder, &format!("--prior 0.5 --device {device}"));
        assert!(message.contains(&format!("unknown device '{device}'")), "{message}");
        assert!(message.contains("; use auto, cpu, cuda"), "{message}");
        assert!(folder.refused(&format!("predict none x.csv --device {device}")).contains("unknown device"));
        assert!(
            folder
                .refused(&format!("evaluate none x.csv --truth y --device {device}"))
                .contains("unknown device")
        );
        assert!(folder.refused(&format!("demo --device {device}")).contains("unknown device"));
    }
    assert!(
        fit(&folder, "--prior 0.5 --precision f16")
            .contains("unknown precision 'f16' (did you mean 'bf16'?)")
    );
    assert!(fit(&folder, "--prior 0.5 --augment rotate").contains("unknown augmentation 'rotate'; use none"));
}

#[test]
fn augmentation_of_a_table() {
    let message = fit(&small("augment-table"), "--prior 0.5 --augment crop+flip");
    let expected = "--augment is for networks on pictures, and the model linear has no use for it";
    assert!(message.contains(expected), "{message}");
}

/// A build without the feature refuses a GPU before it reads anything.
#[cfg(not(feature = "cuda"))]
#[test]
fn a_gpu_that_this_build_cannot_use() {
    let folder = small("no-cuda");
    for device in ["cuda", "cuda:3"] {
        for command in [
            format!("fit -v none.csv --label y --prior 0.5 {OUT}"),
            "predict none x.csv".to_string(),
            "evaluate none x.csv --truth y".to_string(),
            "demo --compare --seeds 1".to_string(),
        ] {
            let message = folder.refused(&format!("{command} --device {device}"));
            assert!(message.contains("this build has no CUDA support"), "{message}");
        }
    }
}

#[test]
fn flags_that_contradict_one_another() {
    let folder = small("contradictions");
    assert!(folder.refused(&format!("fit -v x.csv --prior 0.5 {OUT}")).contains("--label COLUMN"));
    assert!(folder.refused(&format!("fit -v --label y --prior 0.5 {OUT}")).contains("name a table"));
    assert!(folder.refused(&format!("fit -v --positives x.csv --prior 0.5 {OUT}")).contains("--unlabeled"));
    assert!(fit(&folder, "--prior 0.5 --truth z").contains("--truth is for the method supervised"));
    assert!(fit(&folder, "--method supervised").contains("learns from true labels"));
    assert!(
        fit(&folder, "--prior 0.5 --drop y").contains("column 'y' cannot be both the label and left out")
    );
    let two = "--positives x.csv --unlabeled x.csv --label y";
    assert!(folder.refused(&format!("fit -v {two} --prior 0.5 {OUT}")).contains("need no --label"));
}

#[test]
fn two_files_with_other_columns() {
    let folder = Folder::new("two-files-differ");
    folder.write("p.csv", "a,b\n1,2\n2,1\n");
    folder.write("u.csv", "a,c\n1,2\n2,1\n");
    let message = folder.refused(&format!("fit -v --positives p.csv --unlabeled u.csv --prior 0.5 {OUT}"));
    assert!(message.contains("that of unlabeled rows lacks 'b', that of positives lacks 'c'"), "{message}");
}

#[test]
fn an_output_that_cannot_be_written_is_found_before_training() {
    let folder = small("unwritable");
    let to = |out: &str| folder.refused(&format!("fit -v x.csv --label y --prior 0.5 --out {out}"));
    assert!(to("nowhere/m.safetensors").contains("there is no folder 'nowhere'; make it first"));
    assert!(to("x.csv/m.safetensors").contains("cannot write 'x.csv/m.safetensors'"));
    assert!(to(".").contains("cannot write '.'"));
    assert!(to("x.csv").contains("it is another file of this command"));
    assert!(to("./x.csv").contains("it is another file of this command"));
    // No file can be made in /proc, not even by root.
    assert!(to("/proc/m.safetensors").contains("no file can be made in its folder '/proc'"));
    let checkpoint = folder.refused(&format!("fit -v x.csv --label y --prior 0.5 --checkpoint no/c {OUT}"));
    assert!(checkpoint.contains("cannot write 'no/c'"), "{checkpoint}");
}

#[test]
fn a_full_disk() {
    let folder = small("full-disk");
    let message =
        folder.refused("fit -v x.csv --label y --prior 0.5 --model linear --epochs 2 --out /dev/full");
    assert!(message.contains("cannot write '/dev/full'"), "{message}");
}

fn with_model(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit -v table.csv {QUICK} --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

#[test]
fn model_files_that_are_none() {
    let folder = with_model("bad-models");
    let bytes = std::fs::read(folder.path("m.safetensors")).unwrap();
    folder.write("short.safetensors", &bytes[..bytes.len() - 3]);
    folder.write("empty.safetensors", b"");
    for (model, what) in [
        ("short.safetensors", "'short.safetensors' is truncated"),
        ("table.csv", "'table.csv' is not a safetensors file"),
        ("empty.safetensors", "'empty.safetensors' is not a safetensors file"),
        ("none.safetensors", "'none.safetensors' does not exist"),
    ] {
        let message = folder.refused(&format!("predict {model} table.csv --out r.csv"));
        assert!(message.contains(what), "{message}");
        let message = folder.refused(&format!("evaluate {model} table.csv --truth t"));
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn a_table_with_other_features() {
    let folder = with_model("other-features");
    folder.write("other.csv", "a,c\n1,2\n");
    let message = folder.refused("predict m.safetensors other.csv --out r.csv");
    assert!(message.contains("the data lack 'b', which the model needs"), "{message}");
    folder.write("text.csv", "a,b\nred,2\nblue,1\n");
    let message = folder.refused("predict m.safetensors text.csv --out r.csv");
    assert!(message.contains("column 'a' was numeric when the model was fitted but is text"), "{message}");
}

#[test]
fn predictions_that_cannot_be_written() {
    let folder = with_model("predict-out");
    let to = |out: &str| folder.refused(&format!("predict m.safetensors table.csv --out {out}"));
    assert!(to("r.ods").contains("use the extension .csv, .tsv, .jsonl, .parquet or .xlsx"));
    assert!(to("table.csv").contains("it is another file of this command"));
    assert!(to("no/r.csv").contains("there is no folder 'no'; make it first"));
    assert!(
        folder.refused("predict m.safetensors table.csv --id name").contains("there is no column 'name'")
    );
}

#[test]
fn evaluate_asks_for_a_column() {
    let folder = with_model("evaluate-columns");
    let message = folder.refused("evaluate m.safetensors table.csv");
    assert!(message.contains("--label COLUMN") && message.contains("--truth COLUMN"), "{message}");
    assert!(
        folder.refused("evaluate m.safetensors table.csv --truth tt").contains("there is no column 'tt'")
    );
    let message = folder.refused("evaluate m.safetensors table.csv --truth a");
    assert!(message.contains("'a' cannot be both a feature of the model and the truth"), "{message}");
}

/// Names of values that are nearly right, and words of other tools: each is answered with the name that was meant.
#[test]
fn names_that_were_meant() {
    let folder = small("meant");
    let fit = |more: &str| folder.refused(&format!("fit -v x.csv --label y {more} {OUT}"));
    for (typed, meant) in [
        ("--method colective", "'collective'"),
        ("--method nnPU", "'nnpu'"),
        ("--model tree", "'trees'"),
        ("--model resnet-18", "'resnet18'"),
        ("--optimizer admw", "'adamw'"),
        ("--schedule cosin", "'cosine'"),
        ("--reduction sum-of-mean", "'sum-of-means'"),
        ("--surrogate logistics", "'logistic'"),
        ("--scenario single", "'single-sample'"),
        ("--threshold quantil", "'quantile'"),
        ("--missing means", "'mean'"),
        ("--device gpu", "'cuda'"),
        ("--device cupa", "'cuda'"),
        ("--effort thorugh", "'thorough'"),
        ("--encoding uft-8", "'utf-8'"),
        ("--method ldce --option rigde=1", "'ridge'"),
        ("--leanring-rate 0.1", "'--learning-rate'"),
        ("--lr 0.1", "'--learning-rate'"),
        ("--prior 30", "0.3, which is 30 percent"),
        ("--prior-in-unlabeled 7", "0.07, which is 7 percent"),
    ] {
        let error = fit(typed);
        assert!(error.contains(&format!("did you mean {meant}")), "{typed}: {error}");
    }
    let error = folder.refused("prior x.csv --label y --estimator bb");
    assert!(error.contains("did you mean 'bbe'?"), "{error}");
    let error = folder.refused("experiment tabel1");
    assert!(error.contains("did you mean 'table1'?"), "{error}");
    let error = folder.refused("methods colective");
    assert!(error.contains("did you mean 'collective'?"), "{error}");
    let error = folder.refused("elicit --reward sqare");
    assert!(error.contains("did you mean 'square'?"), "{error}");
}

#[test]
fn a_model_and_rows_the_other_way_around() {
    let folder = Folder::new("swapped");
    folder.write("table.csv", table());
    assert_eq!(folder.run(&format!("fit -v table.csv {QUICK} --out m.safetensors")).code, 0);
    let expected = "'m.safetensors' is a model, and 'table.csv' is not; name the model first, then the rows";
    for command in [
        "predict",
        "evaluate --label y",
        "importance --label y",
        "bound --label y",
        "audit draw --rows 5 --out a.csv",
    ] {
        let error = folder.refused(&format!("{command} table.csv m.safetensors"));
        assert!(error.contains(expected), "{command}: {error}");
    }
    // Two tables are two tables.
    assert!(!folder.refused("predict table.csv table.csv").contains("is a model"));
}

#[test]
fn what_was_meant_is_said() {
    let folder = Folder::new("meant");
    folder.write("x.csv", "temp,z,y\n1,2,0\n2,3,1\n3,4,2\n");
    let fit = |more: &str| folder.refused(&format!("fit -v x.csv --out m.safetensors {more}"));
    let message = fit("--label y --drop Temp");
    assert!(message.contains("did you mean 'temp'? (only upper and lower case differ)"), "{message}");
    let message = fit("--label y");
    assert!(message.contains("holds three kinds of labels ('0', '1', '2')"), "{message}");
    assert!(message.ends_with("or take all but one as unlabeled with --positive 1"), "{message}");
    let message = folder.refused("fit -v x.csv --label y --positive 1 --out gone/m.safetensors");
    assert!(
        message.contains("there is no folder '") && message.ends_with("gone'; make it first"),
        "{message}"
    );
    // Bytes that are called a spreadsheet.
    folder.write(
        "junk.xlsx",
        (0..2_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect::<Vec<u8>>(),
    );
    let message = folder.refused("fit -v junk.xlsx --label y --out m.safetensors");
    assert!(message.contains("'junk.xlsx' is neither a spreadsheet nor a text table"), "{message}");
}
