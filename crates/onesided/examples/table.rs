//! From a table to a ranked list, with a model file in between.
//!
//! In a clone of the repository: `cargo run --release -p onesided --example table`.

use onesided::{ClassPrior, Learner, Model, Table};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");

    // `y` is 1 for labeled positives and 0 for everyone else.
    let train = Table::at(tables.join("train.csv")).label("y");

    // Leave the prior out if you do not know it, and it is estimated.
    let model = Learner::new().prior(ClassPrior::new(0.3)?).seed(0).fit(&train)?;
    println!("{}", model.about().report.choice());

    let file = std::env::temp_dir().join("onesided-example.safetensors");
    model.save(&file)?;
    let model = Model::load(&file)?;
    for best in model.rank_file(tables.join("new.csv"))?.iter().take(5) {
        println!("row {}: probability {:.3}", best.row + 1, best.probability);
    }
    std::fs::remove_file(file)?;
    Ok(())
}
