//! Texts in a column of a table, a classic system that learns from them, and the words that carried each score.
//!
//! In a clone of the repository: `cargo run --release -p onesided --example texts`.

use onesided::{ClassPrior, Learner, Table};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let posts = Table::at(tables.join("posts.csv")).label("y").text("body").drop("truth");
    let model = Learner::new().method("weighted-lr").prior(ClassPrior::new(0.3)?).fit(&posts)?;

    let new = model.read(tables.join("new_posts.csv"))?;
    let explainer = model.explainer()?;
    for best in model.rank(&new)?.iter().take(3) {
        let words = explainer.row(&new, best.row, 3)?;
        let words: Vec<String> =
            words.iter().map(|word| format!("{} {:+.2}", word.feature, word.value)).collect();
        println!("row {}: probability {:.3}, by {}", best.row + 1, best.probability, words.join(", "));
    }
    Ok(())
}
