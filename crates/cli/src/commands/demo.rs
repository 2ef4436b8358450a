//! `onesided demo`: the main job on a built-in table, from rows to a share, a list, promises and a page.

use super::{compare, device, report};
use crate::args::Demo;
use crate::failure::Failure;
use crate::output::{note, print, print_json};
use crate::output_path;
use crate::progress::interrupted;
use onesided::data::{Stream, WriteAs, counted, grouped, write_atomically};
use onesided::learn::Reserve;
use onesided::{Fit, Input, InputOptions, Learner, List, ReadAgain, RecallTarget, Roles, Signal, rows_file};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// Customers of the built-in table, how many of those who would buy were asked and said yes, and how many of the latter are set aside.
const CUSTOMERS: usize = 2_400;
const ASKED: f64 = 0.35;
const RESERVED: usize = 60;
/// What is promised.
const RECALL: f64 = 0.9;
const CONFIDENCE: f64 = 0.95;
/// Where it all goes unless something else is said.
const FOLDER: &str = "onesided-demo";

/// Makes a table, learns from it, ranks it and writes a page.
pub fn run(flags: &Demo, as_json: bool) -> Result<(), Failure> {
    if flags.compare {
        return compare::run(flags, as_json);
    }
    let started = Instant::now();
    let device = device(&flags.device)?;
    let folder = flags.out.clone().unwrap_or_else(|| FOLDER.into());
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::input(format!("cannot make the folder '{}': {error}", folder.display())))?;
    let [table, model_file, list_file, page] =
        ["customers.csv", "model.safetensors", "list.csv", "page.html"].map(|name| folder.join(name));
    for out in [&table, &model_file, &list_file, &page] {
        output_path::check(out, &[])?;
    }
    output_path::check(&rows_file(&model_file), &[])?;
    let (text, hidden) = customers();
    write_atomically(&table, |file| file.write_all(text.as_bytes()))?;
    note(&format!(
        "a table of {} who exist nowhere: those who were asked and said yes are labeled, all others are not",
        counted(CUSTOMERS, "customers")
    ));

    let learner = Learner::new().reserve(Reserve::Rows(RESERVED)).threads(flags.threads).device(device);
    let reading = InputOptions { roles: Roles::labeled("said_yes"), ..InputOptions::default() };
    let input = Input::one(&table);
    let ready = Fit::new(learner).reading(reading).read(&input)?;
    let model = ready.learn(&mut |_| Signal::from(!interrupted()))?;
    if interrupted() {
        return Err(Failure::Interrupted("interrupted, and no model was written".to_string()));
    }
    model.save(&model_file)?;
    let list = List::of(&model).threads(flags.threads);
    let roles = Roles { id: vec!["customer".to_string()], ..Roles::default() };
    let also = ReadAgain { roles, ..ReadAgain::default() };
    let mut ranked = list.read(&input, &also)?;
    let rows = ranked.rows();
    let review = ranked.review()?;
    let promised = review.and_then(|list| list.review(RecallTarget::new(RECALL, CONFIDENCE).ok()?).ok());
    let columns = ranked.columns().clone();
    let how = WriteAs::default();
    columns.write(&list_file, &how, rows, ranked.into_rows()?, &interrupted)?;
    let summary = list.summary(&input, &also, &report::settings(false))?;
    let bytes = report::write(&summary, &page)?;

    let seconds = started.elapsed().as_secs_f64();
    let counts = model.about().counts;
    let share = summary.share.map(|share| share.share);
    if as_json {
        return print_json(&json!({
            "out": folder.display().to_string(),
            "positive": counts.positive,
            "unlabeled": counts.unlabeled,
            "share": share,
            "positives": summary.positives,
            "in_truth": hidden,
            "rows_to_read": promised.as_ref().map(|review| review.population.rows),
            "page_bytes": bytes,
            "seconds": seconds,
        }));
    }
    let mut text = format!(
        "{} said yes; of the other {}, nobody knows who would\n",
        counted(counts.positive, "customers"),
        grouped(counts.unlabeled)
    );
    if let (Some(share), Some((least, most))) = (share, summary.positives) {
        text.push_str(&format!(
            "share       about {} of them would, too ({:.1} %; {} to {}); as this table is made up, the truth is known: {}\n",
            grouped((share.value * rows as f64).round() as usize),
            100.0 * share.value,
            grouped(least),
            grouped(most),
            grouped(hidden)
        ));
    }
    if let Some(review) = &promised {
        text.push_str(&format!(
            "promise     asking the first {} finds at least {:.0} % of those who would, with {:.0} % confidence, {}\n",
            counted(review.population.rows, "customers"),
            100.0 * RECALL,
            100.0 * CONFIDENCE,
            review.assumes
        ));
    }
    let line = |what: &str, path: &Path, about: &str| format!("{what:<11} {}  {about}\n", path.display());
    text.push_str(&line("list", &list_file, "the likeliest first"));
    text.push_str(&line("page", &page, "open it in a browser"));
    text.push_str(&format!(
        "\nfor your own table, whose column y says which rows are known to be positive:\n  \
         onesided fit table.csv --label y --reserve {RESERVED} --out model.safetensors --report page.html\n  \
         onesided predict model.safetensors table.csv --recall {RECALL} --out list.csv\n"
    ));
    print(&text)?;
    note(&format!("{seconds:.1} s"));
    Ok(())
}

/// Customers as a CSV table, and how many of those without a label would say yes.
fn customers() -> (String, usize) {
    let mut stream = Stream::new(0, "customers of the demo");
    let mut text =
        String::from("customer,age,visits,spent,plan,region,newsletter,last_visit_days,said_yes\n");
    let mut hidden = 0;
    let (plans, regions) = (["basic", "plus", "family", "trial"], ["north", "east", "south", "west"]);
    for customer in 0..CUSTOMERS {
        let age = (45.0 + 14.0 * stream.normal()).clamp(18.0, 88.0).round();
        let visits = (2.2 + 0.8 * stream.normal()).exp().min(200.0).round();
        let spent = (3.0 + 0.35 * visits.ln_1p() + 0.7 * stream.normal()).exp();
        let plan = (stream.uniform() * 4.0) as usize % 4;
        let region = (stream.uniform() * 4.0) as usize % 4;
        let newsletter = stream.uniform() < 0.45;
        let days = (3.3 - 0.35 * visits.ln_1p() + 0.8 * stream.normal()).exp().clamp(0.0, 400.0).round();
        // What makes somebody say yes: many visits, a recent one, the plan, and middle age.
        let logit = 1.9 * (visits.ln_1p() - 2.4) - 0.9 * (days.ln_1p() - 2.6) + [-1.4, 0.8, 1.9, -0.6][plan]
            - ((age - 42.0) / 15.0).powi(2)
            + if newsletter { 0.9 } else { 0.0 }
            - 1.3;
        let would = stream.uniform() < 1.0 / (1.0 + (-1.6 * logit).exp());
        let asked = would && stream.uniform() < ASKED;
        hidden += usize::from(would && !asked);
        text.push_str(&format!(
            "c{:04},{age},{visits},{spent:.2},{},{},{},{days},{}\n",
            customer + 1,
            plans[plan],
            regions[region],
            if newsletter { "yes" } else { "no" },
            if asked { "yes" } else { "" },
        ));
    }
    (text, hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn customers_are_the_same_every_time() {
        let (text, hidden) = customers();
        assert_eq!(text.lines().count(), CUSTOMERS + 1);
        let labeled = text.lines().filter(|line| line.ends_with(",yes")).count();
        assert!(labeled > 2 * RESERVED && hidden > labeled, "{labeled} labeled, {hidden} hidden");
        assert_eq!(customers(), (text, hidden));
    }
}
