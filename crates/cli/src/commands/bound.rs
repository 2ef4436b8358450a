//! `onesided bound`: the generalization bound of a model, part by part.

use crate::args::Bound;
use crate::failure::Failure;
use crate::inputs::print_new_notes;
use crate::model_file;
use crate::output::{print, print_json, table, warn};
use onesided::data::{counted, shown_share};
use onesided::loss::RademacherSource;
use onesided::{Device, Encoding, Fitted, Input, Model, ModelBound, RANDOM_LABELS, Roles};
use serde_json::{Value, json};

/// The largest number of draws: more would only sharpen a mean that is sharp already.
const MOST_DRAWS: usize = 10_000;

/// Loads model and table and shows what the bound is made of.
pub fn run(flags: &Bound, as_json: bool) -> Result<(), Failure> {
    if !(flags.delta > 0.0 && flags.delta < 1.0) {
        return Err(Failure::input(format!(
            "--delta must lie strictly between 0 and 1, but is {}",
            flags.delta
        )));
    }
    if flags.draws > MOST_DRAWS {
        return Err(Failure::input(format!("--draws must be at most {MOST_DRAWS}, but is {}", flags.draws)));
    }
    flags.files.files()?;
    let model = model_file::load(&flags.model, [flags.file.as_path()])?.on_device(Device::Auto);
    let about = model.about();
    if !matches!(about.features.as_ref(), Encoding::Table(_)) {
        return Err(Failure::input(format!(
            "the bound is computed on a table, but the model was fitted on {}",
            about.features.takes()
        )));
    }
    if matches!(model.fitted(), Fitted::Trees(_) | Fitted::LinkedTrees(_)) {
        return Err(Failure::input(
            "the bound is that of networks, but the model is trees; fit one with --model linear",
        ));
    }
    let roles = Roles { positive: flags.positive.clone(), ..Roles::labeled(&flags.label) };
    let also = flags.files.again(&[&flags.file], roles, &[], &[])?;
    let data = model.read_with(&Input::one(&flags.file), &also)?.without_blank().into_owned();
    print_new_notes(&model, data.notes());
    let found = model.bound(&data, flags.delta, flags.draws)?;
    warn(&found.caveats);
    if as_json { print_json(&as_value(&found)) } else { print(&as_text(&model, &found)) }
}

/// A number that may be astronomically large.
fn number(x: f64) -> String {
    if x.abs() < 1e6 { format!("{x:.4}") } else { format!("{x:.2e}") }
}

fn as_text(model: &Model, found: &ModelBound) -> String {
    let ModelBound { parts, bound, .. } = found;
    let mut text = format!(
        "{} ({}) with {}: {}, {}, a share of {} of them positive\n\n",
        model.about().method,
        found.reduction,
        model.about().model,
        counted(parts.n_p, "positives"),
        counted(parts.n_u, "unlabeled rows"),
        shown_share(parts.mu)
    );
    let row = |name: &str, value: String| vec![name.to_string(), value];
    let mut layers =
        vec![vec!["layer".to_string(), "Frobenius norm".to_string(), "spectral norm".to_string()]];
    layers.extend(found.layers.iter().map(|layer| {
        vec![format!("{} {}", layer.layer, layer.what), number(layer.frobenius), number(layer.spectral)]
    }));
    text += &table(&layers);
    let (source, n) = (parts.rademacher.source, parts.rademacher.n);
    let source = match source {
        RademacherSource::Norms { .. } => "at most, by weight norms".to_string(),
        RademacherSource::RandomLabels { draws, standard_error } => {
            let noise = if draws > 1 { format!(", ± {standard_error:.1e}") } else { String::new() };
            format!("by {draws} draws of random labels{noise}")
        }
    };
    text += &format!(
        "\nlargest input norm {}; largest score {} in the class, {} on this table\n\
         Rademacher complexity {} at n = {n} ({source})\n\nwith probability {}, {RANDOM_LABELS}, the loss on new \
         data is at most\n",
        number(parts.input_norm),
        number(parts.largest_score),
        number(found.largest_seen),
        number(parts.rademacher.value),
        // The nearest short decimal: 1 - 0.07 is 0.93 and some dust.
        ((1.0 - parts.delta) * 1e12).round() / 1e12
    );
    text += &table(&[
        row("  loss on this table", number(bound.empirical)),
        row("  complexity, positives", number(bound.positive_complexity)),
        row("  confidence, positives", number(bound.positive_confidence)),
        row("  complexity, unlabeled", number(bound.unlabeled_complexity)),
        row("  confidence, unlabeled", number(bound.unlabeled_confidence)),
        row("  total", number(bound.total)),
    ]);
    text += &format!("{}\n", verdict(found));
    text += &format!(
        "\nthe paper's bound on the excess loss (as printed, no guarantee): {} + {} = {}\n",
        number(bound.printed.complexity),
        number(bound.printed.confidence),
        number(bound.printed.total)
    );
    text
}

/// What the total is worth, in a sentence.
fn verdict(found: &ModelBound) -> String {
    let bound = &found.bound;
    let (total, trivial) = (number(bound.total), number(bound.trivial));
    if bound.vacuous {
        format!(
            "vacuous: a model that says μ for every row has a loss of {trivial}, so a bound of {total} tells nothing about \
             this one; read the parts, not the total"
        )
    } else {
        format!(
            "below the {trivial} of a model that says μ for every row; still loose, and the norms were taken from the \
             trained network, a choice the theorem does not charge for"
        )
    }
}

fn as_value(found: &ModelBound) -> Value {
    let ModelBound { parts, bound, .. } = found;
    let source = match parts.rademacher.source {
        RademacherSource::Norms { depth } => json!({ "source": "weight norms", "depth": depth }),
        RademacherSource::RandomLabels { draws, standard_error } => {
            json!({ "source": "random labels", "draws": draws, "standard_error": standard_error })
        }
    };
    json!({
        "reduction": found.reduction.to_string(),
        "positives": parts.n_p,
        "unlabeled": parts.n_u,
        "prior_in_unlabeled": parts.mu,
        "delta": parts.delta,
        "weights": [parts.weights.positive, parts.weights.unlabeled],
        "layers": found.layers.iter().map(|layer| json!({
            "layer": layer.layer, "what": layer.what, "frobenius": layer.frobenius, "spectral": layer.spectral,
        })).collect::<Vec<_>>(),
        "input_norm": parts.input_norm,
        "largest_score": parts.largest_score,
        "largest_score_seen": found.largest_seen,
        "rademacher": { "value": parts.rademacher.value, "n": parts.rademacher.n, "by": source },
        "empirical": bound.empirical,
        "positive_complexity": bound.positive_complexity,
        "positive_confidence": bound.positive_confidence,
        "unlabeled_complexity": bound.unlabeled_complexity,
        "unlabeled_confidence": bound.unlabeled_confidence,
        "total": bound.total,
        "trivial": bound.trivial,
        "vacuous": bound.vacuous,
        "printed": {
            "batches": bound.printed.batches, "complexity": bound.printed.complexity,
            "confidence": bound.printed.confidence, "total": bound.printed.total,
        },
        "assumes": RANDOM_LABELS,
        "warnings": found.caveats,
    })
}
