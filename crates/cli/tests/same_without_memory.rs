//! A table that does not fit into the memory, in Rust and in the command. How much there is holds for the whole process, so this test
//! has one of its own.

#[allow(dead_code)] // one test needs little of it
mod folder;

use folder::Folder;
use onesided::data::limit_memory;
use onesided::{ClassPrior, Learner, ModelChoice, Table};
use std::fs::File;
use std::io::{BufWriter, Write};

#[test]
fn a_table_that_does_not_fit_is_taken_by_columns_or_refused_alike() {
    let folder = Folder::new("same-memory");
    let row = |i: usize| {
        let cells: String = (0..6).map(|at| format!("{}.5,", (i * 7 + at * 31) % 97)).collect();
        format!("{cells}{}\n", u8::from(i.is_multiple_of(9)))
    };
    // Line by line: what this process holds counts.
    let mut file = BufWriter::new(File::create(folder.path("t.csv")).unwrap());
    writeln!(file, "a,b,c,d,e,f,y").unwrap();
    (0..300_000).for_each(|i| file.write_all(row(i).as_bytes()).unwrap());
    file.into_inner().unwrap();
    let table = Table::at(folder.path("t.csv")).label("y");
    let learner = Learner::new().method("naive").prior(ClassPrior::new(0.4).unwrap());
    let fit = "fit -v t.csv --label y --method naive --prior 0.4 --out m.model";
    // Numbers do not fit; the bytes that trees take instead do not, either. A line has nothing to take instead.
    let cases =
        [("trees", 49, "300000 rows of one byte per cell"), ("linear", 24, "t.csv' beyond its first")];
    for (model, megabytes, what) in cases {
        let of_command = folder.refused(&format!("{fit} --model {model} --memory {megabytes}M"));
        limit_memory(megabytes << 20);
        let of_rust = learner.clone().model(model.parse::<ModelChoice>().unwrap()).fit(&table).unwrap_err();
        limit_memory(u64::MAX);
        for sentence in [of_command, of_rust.to_string()] {
            assert!(sentence.contains("not enough memory for ") && sentence.contains(what), "{sentence}");
        }
    }
}
