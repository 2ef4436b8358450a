//! Pictures in two folders, a small convolutional network, and a ranked list of the pictures in a third folder.
//!
//! `cargo run --release -p onesided --example pictures -- GOOD REST NEW`: PNG or JPEG files that are known to be positive,
//! all others to learn from, and new ones.

use onesided::{ClassPrior, Learner, Table};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    let [good, rest, new] = folders.as_slice() else {
        return Err("name three folders of pictures: positives, unlabeled ones, new ones".into());
    };
    // The unlabeled pictures are the population; three in ten are taken to be positive.
    let model = Learner::new().prior(ClassPrior::new(0.3)?).fit(&Table::two(good, rest))?;

    let new = model.read(new)?;
    let names = new.ids().first().map(|(_, names)| names);
    for best in model.rank(&new)?.iter().take(5) {
        let name = names
            .map_or_else(|| format!("picture {}", best.row + 1), |names| names.get(best.row).to_string());
        println!("{name}: probability {:.3}", best.probability);
    }
    Ok(())
}
