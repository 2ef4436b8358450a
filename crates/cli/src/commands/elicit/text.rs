//! The findings as a page of text.

use super::findings::{BATCH, Findings, Outcome, Place, Range};
use crate::output::table;
use onesided::loss::elicit::RewardCheck;

/// The page.
pub fn of(findings: &Findings) -> String {
    let mut text = derived(findings);
    text += &checked(findings);
    text += &rectified(findings);
    text += &printed(findings);
    text += &learned(findings);
    text
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_string).into()
}

/// A number to four decimals with a true minus sign, as in the formulas.
fn number(x: f64) -> String {
    match x {
        0.0 => "0.0000".to_string(),
        x if x.is_infinite() => if x > 0.0 { "∞" } else { "−∞" }.to_string(),
        x if x.abs() >= 1e6 => format!("{x:.2e}").replace('-', "−"),
        x => format!("{x:.4}").replace('-', "−"),
    }
}

fn derived(findings: &Findings) -> String {
    let from = findings.citation.map_or_else(String::new, |citation| format!(" ({citation})"));
    let mut text = format!("reward: {}{from}\n", findings.name);
    if let Some(f) = &findings.formulas {
        let lines = [
            ("J(η)", &f.value),
            ("J'(η)", &f.derivative),
            ("I₁(q)", &f.positive),
            ("I₀(q)", &f.negative),
            ("link v", &f.link),
            ("loss φ(v)", &f.loss),
        ];
        lines.iter().for_each(|(name, formula)| text.push_str(&format!("  {name:<10} {formula}\n")));
    }
    let mut rows = vec![row(["η", "J(η)", "I₁(η)", "I₀(η)", "v", "φ(v)"])];
    rows.extend(findings.rows.iter().map(|r| {
        let numbers = [r.value, r.positive, r.negative, r.link, r.loss].map(number);
        [vec![r.eta.to_string()], numbers.into()].concat()
    }));
    text + "\n" + &table(&rows)
}

fn checked(findings: &Findings) -> String {
    let said: Vec<String> = findings
        .checks
        .iter()
        .map(|(name, check)| match check {
            RewardCheck::Holds => name.to_string(),
            RewardCheck::Fails { witness } => format!("not {name}: {witness}"),
        })
        .collect();
    format!("\nchecked on a grid, no counterexample: {}\n", said.join(", "))
}

fn rectified(findings: &Findings) -> String {
    let mut text = format!("\nrectified for μ = {}: I(q, η) = η I₁(q) + (1−η) I₀(|q−μ|)\n", findings.mu);
    for Range { from, to, place } in &findings.ranges {
        let what = match place {
            Place::AtPrior => "stays at μ",
            Place::Between => "rises with η",
            Place::AtOne => "stays at 1",
        };
        text.push_str(&format!("  {} < η < {}: the best q {what}\n", number(*from), number(*to)));
    }
    let with_printed = findings.discrepancy.is_some();
    let mut rows = vec![row(["η", "best q", "reward"])];
    if with_printed {
        rows[0].extend(row(["printed q", "printed reward"]));
    }
    for peak in &findings.shown {
        let mut cells = vec![peak.eta.to_string(), number(peak.exact.q), number(peak.exact.value)];
        if let Some(printed) = &peak.printed {
            cells.extend([number(printed.q), number(printed.value)]);
        }
        rows.push(cells);
    }
    text.push_str(&table(&rows));
    let gap = findings.shown.iter().map(|peak| peak.exact.gap).fold(0.0, f64::max);
    if gap > 0.0 {
        text.push_str(&format!(
            "found by a search that proves each reward to be the largest up to {gap:.0e}\n"
        ));
    }
    text
}

fn printed(findings: &Findings) -> String {
    let Some(d) = findings.discrepancy else {
        return "the printed theorem speaks of the logarithm only\n".to_string();
    };
    let (late, beyond) = (d.late, d.beyond_one);
    format!(
        "the theorem as printed (Xie et al. 2020, Theorem 1) departs from this\n  \
         for {} < η ≤ {}, where it has q = μ, and for η > {}, where its q is above 1;\n  \
         its reward jumps by {:+.4} at η = μ and is {} at η = 1, where no more than 0 can be had\n",
        number(late.from),
        number(late.to),
        number(beyond.from),
        d.jump_at_prior,
        number(d.excess_at_one)
    )
}

fn learned(findings: &Findings) -> String {
    if findings.outcomes.is_empty() {
        return "\nwhat training converges to is known for the reward log: see onesided elicit --reward log\n".to_string();
    }
    let mut rows =
        vec![row(["reduction", "w₁", "w₂", "t", "mean q in U", "logistic model", "accuracy", "verdict"])];
    rows.extend(findings.outcomes.iter().map(|Outcome { reduction, weights, minimizer, line }| {
        let sign = if line.intercept < 0.0 { '−' } else { '+' };
        vec![
            reduction.to_string(),
            number(weights.positive),
            number(weights.unlabeled),
            number(minimizer.t),
            number(minimizer.mean_unlabeled),
            format!("{:.3}x {sign} {:.3}", line.slope, line.intercept.abs()),
            number(line.accuracy),
            if minimizer.calibrated { "calibrated" } else { "too high" }.to_string(),
        ]
    }));
    let (p, u) = BATCH;
    let sign = if findings.mu < 0.5 { '−' } else { '+' };
    let offset = number((findings.mu / (1.0 - findings.mu)).ln().abs());
    format!(
        "\nwhat training converges to: w₁ E_P[−ln q] + w₂ (−ln(1−|E_U q − μ|)) is smallest at q = min(1, t η);\n\
         here for positives N(1, 1), negatives N(−1, 1) and {p} positive to {u} unlabeled examples in a batch,\n\
         where the true posterior is σ(2x {sign} {offset})\n{}",
        table(&rows)
    )
}
