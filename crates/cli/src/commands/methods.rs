//! `onesided methods`: what there is to choose from.

use crate::failure::Failure;
use crate::output::{print, print_json};
use onesided::loss::{Method, elicited_methods, methods};
use serde_json::{Value, json};

/// Lists every method with its citation, its scenario and what it needs.
pub fn run(as_json: bool) -> Result<(), Failure> {
    if as_json {
        let entry = |method: &Method| {
            json!({
                "name": method.name,
                "summary": method.summary,
                "citation": method.citation,
                "scenario": method.scenario,
                "needs_prior": method.needs_prior,
                "needs_truth": method.needs_truth,
            })
        };
        let all: Vec<Value> = methods().iter().map(entry).collect();
        let elicited: Vec<Value> = elicited_methods().iter().map(entry).collect();
        return print_json(&json!({ "methods": all, "elicited": elicited }));
    }
    let mut text = String::new();
    for method in methods() {
        let needs = match (method.needs_prior, method.needs_truth) {
            (true, _) => "needs a prior",
            (_, true) => "needs true labels",
            _ => "needs no prior",
        };
        let Method { name, summary, citation, scenario, .. } = method;
        text.push_str(&format!(
            "{name:<16} {summary}\n{:16} {citation}; scenario: {scenario}; {needs}\n",
            ""
        ));
    }
    // One entry for all of them: siblings of the collective loss for study.
    let names: Vec<&str> = elicited_methods().iter().map(|method| method.name).collect();
    text.push_str(&format!(
        "{:<16} the loss that a reward elicits, rectified as the collective loss is; 'onesided elicit' shows it\n{:16} {}; needs \
         a prior\n",
        "elicited:REWARD",
        "",
        names.join(", ")
    ));
    print(&text)
}
