//! `onesided bound`: the parts add up, and what it cannot bound it refuses.

use crate::folder::{Folder, QUICK, table};
use serde_json::Value;

/// A folder with a table and a model fitted on it with these flags.
fn fitted(test: &str, flags: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("t.csv", table());
    let said = folder.run(&format!("fit -v t.csv {flags} --out m.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

const BOUND: &str = "bound m.safetensors t.csv --label y";

fn number(found: &Value, key: &str) -> f64 {
    found[key].as_f64().unwrap_or(f64::NAN)
}

#[test]
fn the_parts_add_up_and_say_where_they_come_from() {
    let folder = fitted("bound-parts", &format!("{QUICK} --reduction prior-weighted"));
    let found = folder.json(BOUND);
    let terms = [
        "empirical",
        "positive_complexity",
        "positive_confidence",
        "unlabeled_complexity",
        "unlabeled_confidence",
    ];
    let sum: f64 = terms.iter().map(|term| number(&found, term)).sum();
    assert!((sum - number(&found, "total")).abs() < 1e-9, "{found}");
    assert_eq!((&found["reduction"], &found["positives"]), (&"prior-weighted".into(), &50.into()));
    assert_eq!(
        (&found["rademacher"]["by"]["source"], &found["vacuous"]),
        (&"weight norms".into(), &true.into())
    );
    // μ (-ln μ): what saying μ everywhere costs.
    let mu = number(&found, "prior_in_unlabeled");
    assert!((number(&found, "trivial") + mu * mu.ln()).abs() < 1e-12, "{found}");
    // One layer: Rad = C_x |w| / √n, and the largest score of the class is C_x |w|.
    let class = number(&found, "input_norm") * number(&found["layers"][0], "frobenius");
    assert!((number(&found, "largest_score") - class).abs() < 1e-9, "{found}");
    assert!((number(&found["rademacher"], "value") - class / 300f64.sqrt()).abs() < 1e-9, "{found}");
    assert!(number(&found, "largest_score_seen") <= class, "{found}");

    let drawn = folder.json(&format!("{BOUND} --draws 50"));
    assert_eq!(drawn["rademacher"]["by"]["draws"], 50);
    assert!(number(&drawn["rademacher"], "value") < number(&found["rademacher"], "value"), "{drawn}");
    let text = folder.run(BOUND).stdout;
    assert!(text.contains("vacuous: ") && text.contains("no guarantee"), "{text}");
}

#[test]
fn what_it_refuses() {
    let folder = fitted("bound-refused", &QUICK.replace("linear", "mlp:4"));
    let model = folder.refused("bound none.safetensors t.csv --label y");
    assert!(model.contains("'none.safetensors' does not exist"), "{model}");
    assert!(folder.refused("bound m.safetensors none.csv --label y").contains("there is no file 'none.csv'"));
    assert!(folder.refused("bound m.safetensors t.csv").contains("--label <COLUMN>"));
    let message = folder.refused("bound m.safetensors t.csv --label a");
    assert!(message.contains("'a' cannot be both a feature of the model and the label"), "{message}");
    assert!(
        folder.refused(&format!("{BOUND} --delta 1")).contains("--delta must lie strictly between 0 and 1")
    );
    let draws = folder.refused(&format!("{BOUND} --draws 5"));
    assert!(draws.contains("must be 0 for a network with hidden layers"), "{draws}");
}

#[test]
fn another_loss_has_no_bound_here() {
    let folder = fitted("bound-nnpu", &format!("{QUICK} --method nnpu"));
    let message = folder.refused(BOUND);
    assert!(
        message.contains(
            "the bound is that of the collective loss on a table, but the model was trained with 'nnpu'"
        ),
        "{message}"
    );
}
