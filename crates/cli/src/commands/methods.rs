//! `onesided methods`: what there is to choose from, side by side, or one of them in full.

use crate::args::Methods;
use crate::failure::Failure;
use crate::output::{print, print_json, table};
use onesided::classic::OptionInfo;
use onesided::learn::Gives;
use onesided::{Method, methods};
use serde_json::{Value, json};

/// Lists every method, or describes one.
pub fn run(flags: &Methods, as_json: bool) -> Result<(), Failure> {
    if let Some(name) = &flags.name {
        let card = Method::find(name)?;
        return if as_json { print_json(&as_object(card)) } else { print(&in_full(card)) };
    }
    let (elicited, all): (Vec<_>, Vec<_>) = methods().into_iter().partition(|card| card.is_elicited());
    if as_json {
        let objects = |cards: &[Method]| -> Vec<Value> { cards.iter().copied().map(as_object).collect() };
        return print_json(&json!({ "methods": objects(&all), "elicited": objects(&elicited) }));
    }
    let mut rows = vec![HEADER.map(str::to_string).to_vec()];
    rows.extend(all.iter().copied().map(side_by_side));
    let widest = all.iter().map(|card| card.name().len()).max().unwrap_or(0);
    let summaries: Vec<String> = all
        .iter()
        .map(|card| format!("{:<widest$}  {} ({})", card.name(), card.summary(), card.citation()))
        .collect();
    // One entry for all of them: siblings of the collective loss for study.
    let names: Vec<&str> = elicited.iter().map(|card| card.name()).collect();
    print(&format!(
        "{}\n{}\n\nelicited:REWARD ({}): the loss that a reward elicits, rectified as the collective loss is (square and savage \
         are the same loss, tangent is four times it); 'onesided elicit' shows it\nA prior that is needed and not given is \
         estimated. All but supervised and pusb assume that the labeled positives are a random subset of the positives.\n'onesided methods NAME' describes one, with what it \
         assumes and what --option can set.\n",
        table(&rows),
        summaries.join("\n"),
        names.join(", "),
    ))
}

const HEADER: [&str; 7] = ["method", "trains", "prior", "input", "probability", "explains", "time"];

/// What tells the methods apart, a word or two each.
fn side_by_side(card: Method) -> Vec<String> {
    let prior = match card.gives() {
        Gives::FromTruth => "true labels",
        _ if card.needs_prior() => "needed",
        Gives::Labeled | Gives::ByTheory => "optional",
        Gives::Calibrated => "for probability",
    };
    let input = match card {
        _ if card.needs_counts() => "counts",
        Method::Objective(_) => "dense",
        Method::Auto | Method::System(_) => "dense, sparse",
    };
    let probability = match card.gives() {
        Gives::ByTheory => "own theory",
        Gives::FromTruth => "as learned",
        Gives::Calibrated | Gives::Labeled => "calibrated",
    };
    let explains = match (card, card.explains()) {
        (Method::Auto | Method::Objective(_), _) => "yes",
        (Method::System(_), true) => "exactly",
        (Method::System(_), false) => "sampled",
    };
    let time = card.scales().time;
    [card.name(), family(card), prior, input, probability, explains, time].map(str::to_string).to_vec()
}

fn family(card: Method) -> &'static str {
    match card {
        Method::Auto => "several",
        Method::Objective(_) => "network",
        Method::System(_) => "classic",
    }
}

fn needs(card: Method) -> String {
    let prior = match (card.needs_truth(), card.needs_prior()) {
        (true, _) => "true labels",
        (_, true) => "the share of positives (estimated where it is not given)",
        _ if matches!(card, Method::Objective(method) if method.finds_share) => {
            "no prior to learn; for probabilities the share of positives (estimated where it is not given)"
        }
        _ => "no prior to learn",
    };
    let counts = if card.needs_counts() { "; values that are not negative, best word counts" } else { "" };
    format!("{prior}{counts}")
}

fn in_full(card: Method) -> String {
    let explains = match (card, card.explains()) {
        (Method::Auto, _) => {
            "exactly what its lines and trees say, networks and kernels by random orders of columns"
        }
        (Method::Objective(_), _) => {
            "exactly with --model linear or trees, networks by random orders of columns"
        }
        (Method::System(_), true) => "exactly, kernels by random orders of columns",
        (Method::System(_), false) => "by random orders of columns",
    };
    let mut lines = vec![
        format!("{}: {}", card.name(), card.summary()),
        format!("  source         {}", card.citation()),
        format!(
            "  trains         {}",
            match card {
                Method::Auto => "several of the others (--effort, --single)",
                Method::Objective(method) if method.needs_epochs() => "a network (--model)",
                Method::Objective(_) => "a network or trees (--model)",
                Method::System(_) => "its own model",
            }
        ),
        format!("  assumes        {}", card.assumes()),
        format!("  needs          {}", needs(card)),
        format!("  gives          {}", card.gives()),
        format!("  scales         {}", card.scales()),
        format!("  explains       {explains} (predict --explain)"),
        match card.reconstruction() {
            Some(what) => format!("  reconstructed  {what}"),
            None => "  reconstructed  nothing".to_string(),
        },
    ];
    if !card.options().is_empty() {
        lines.push(
            "  options (--option NAME=VALUE; a list is tried on held-out rows; values; default)".to_string(),
        );
        let widest = card.options().iter().map(|option| option.name.len()).max().unwrap_or(0);
        lines.extend(
            card.options()
                .iter()
                .map(|option| format!("    {:<widest$}  {} ({})", option.name, option.what, values(option))),
        );
    }
    lines.join("\n") + "\n"
}

fn values(option: &OptionInfo) -> String {
    format!("{}; {}", option.takes, option.default)
}

fn as_object(card: Method) -> Value {
    let options: Vec<Value> = card
        .options()
        .iter()
        .map(|option| json!({ "name": option.name, "what": option.what, "values": values(option) }))
        .collect();
    json!({
        "name": card.name(),
        "family": family(card),
        "summary": card.summary(),
        "citation": card.citation(),
        "assumes": card.assumes(),
        "needs_prior": card.needs_prior(),
        "needs_truth": card.needs_truth(),
        "needs_counts": card.needs_counts(),
        "gives": card.gives().to_string(),
        "scales": card.scales().to_string(),
        "explains": card.explains(),
        "reconstruction": card.reconstruction(),
        "options": options,
    })
}
