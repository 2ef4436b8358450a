//! The findings as a picture: six panels, from the reward to what it is worth on unlabeled data.

use super::findings::{Findings, Peak};
use onesided::loss::elicit::Rectified;
use onesided_report::{Chart, Line, Mark, Panel};

/// Steps of a curve.
const STEPS: u32 = 200;
/// Where the tangent of the first panel touches J.
const TOUCH: f64 = 0.3;
/// The probabilities whose rectified reward is drawn.
const ETAS: [f64; 4] = [0.1, 0.3, 0.6, 0.9];
/// How much of a curve that runs off to infinity is left out of view.
const OFF: f64 = 0.03;

/// The picture.
pub fn of(rectified: &Rectified, findings: &Findings) -> Chart {
    let peaks = peaks(rectified, findings);
    let panels = [
        maximal(rectified),
        conditional(rectified),
        loss(rectified),
        against_prediction(rectified),
        maximizer(findings, &peaks),
        maximum(findings, &peaks),
    ];
    let title = format!("Reward {}, rectified for μ = {}", findings.name, findings.mu);
    panels.into_iter().fold(Chart::new(title), Chart::panel)
}

fn curve(from: f64, to: f64, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let at = |k: u32| from + (to - from) * f64::from(k) / f64::from(STEPS);
    (0..=STEPS).map(at).map(|x| (x, f(x))).collect()
}

/// The range of y that shows all but the extremes of these curves.
fn in_view(curves: &[Vec<(f64, f64)>]) -> (f64, f64) {
    let mut values: Vec<f64> =
        curves.iter().flatten().map(|point| point.1).filter(|y| y.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return (0.0, 1.0) };
    let (low, high) = (values[(OFF * last as f64) as usize], values[((1.0 - OFF) * last as f64) as usize]);
    // An end is left out only if it lies far out; a curve that simply ends is shown whole.
    let reach = 0.5 * (high - low);
    let low = if values[0] < low - reach { low } else { values[0] };
    let high = if values[last] > high + reach { high } else { values[last] };
    let air = 0.04 * (high - low);
    (low - air, high + air)
}

fn framed(panel: Panel, curves: &[Vec<(f64, f64)>]) -> Panel {
    let (low, high) = in_view(curves);
    panel.y_range(low, high)
}

fn maximal(rectified: &Rectified) -> Panel {
    let reward = rectified.base();
    let curves =
        [curve(0.0, 1.0, |eta| reward.value(eta)), curve(0.0, 1.0, |eta| reward.expected(TOUCH, eta))];
    let panel = framed(Panel::new("The reward of the truth, J"), &curves[..1]).x_label("η").y_label("reward");
    let [value, tangent] = curves;
    panel
        .line(Line::new("J(η)", value))
        .line(Line::new(format!("I({TOUCH}, η)"), tangent))
        .mark(Mark::new(TOUCH, reward.value(TOUCH)).slot(1))
}

fn conditional(rectified: &Rectified) -> Panel {
    let reward = rectified.base();
    let curves = [curve(0.0, 1.0, |q| reward.positive(q)), curve(0.0, 1.0, |q| reward.negative(q))];
    let panel = framed(Panel::new("The reward of saying q"), &curves).x_label("q").y_label("reward");
    let [positive, negative] = curves;
    panel.line(Line::new("I₁(q), if it happens", positive)).line(Line::new("I₀(q), if it does not", negative))
}

fn loss(rectified: &Rectified) -> Panel {
    let reward = rectified.base();
    let curves = [curve(-3.0, 3.0, |v| reward.loss(v)), curve(-3.0, 3.0, |v| reward.loss(-v))];
    let panel = framed(Panel::new("The loss"), &curves).x_label("margin v").y_label("loss");
    let [positive, negative] = curves;
    panel.line(Line::new("φ(v), positive", positive)).line(Line::new("φ(−v), negative", negative))
}

fn against_prediction(rectified: &Rectified) -> Panel {
    let curves = ETAS.map(|eta| curve(0.0, 1.0, |q| rectified.reward(q, eta)));
    let title = "The rectified reward, largest at the dots";
    let mut panel = framed(Panel::new(title), &curves).x_label("prediction η̂").y_label("I(η̂, η)");
    for (slot, (eta, points)) in ETAS.into_iter().zip(curves).enumerate() {
        let best = rectified.maximizer(eta);
        panel = panel
            .line(Line::new(format!("η = {eta}"), points))
            .mark(Mark::new(best.q, best.value).slot(slot));
    }
    panel
}

/// Maxima on a grid, and on both sides of each range's end, where they bend or jump.
fn peaks(rectified: &Rectified, findings: &Findings) -> Vec<Peak> {
    let ends = findings.ranges.iter().map(|range| range.from).filter(|eta| *eta > 0.0);
    let sides = ends.flat_map(|eta| [eta - 1e-5, eta + 1e-5]);
    // A certified search takes some milliseconds, a closed form none.
    let steps = if findings.shown.iter().any(|peak| peak.exact.gap > 0.0) { 50 } else { STEPS };
    let mut etas: Vec<f64> = (0..=steps).map(|k| f64::from(k) / f64::from(steps)).chain(sides).collect();
    etas.sort_by(f64::total_cmp);
    etas.into_iter().map(|eta| Peak::at(rectified, eta)).collect()
}

/// Points of a curve that jumps at the prior: a gap on its far side.
fn printed(peaks: &[Peak], mu: f64, f: impl Fn(&Peak) -> Option<f64>) -> Vec<(f64, f64)> {
    let points = |above: bool| {
        peaks
            .iter()
            .filter(move |peak| (peak.eta > mu) == above)
            .filter_map(|peak| Some((peak.eta, f(peak)?)))
    };
    points(false).chain([(mu, f64::NAN)]).chain(points(true)).collect()
}

fn maximizer(findings: &Findings, peaks: &[Peak]) -> Panel {
    // A gap where the maximizer jumps between two neighbors.
    let jumps = |pair: &[Peak]| pair[1].exact.q - pair[0].exact.q > 10.0 * (pair[1].eta - pair[0].eta) + 0.01;
    let mut exact = Vec::new();
    for (i, peak) in peaks.iter().enumerate() {
        if i > 0 && jumps(&peaks[i - 1..=i]) {
            exact.push((peak.eta, f64::NAN));
        }
        exact.push((peak.eta, peak.exact.q));
    }
    let panel = Panel::new("The best prediction").x_label("η").y_label("q*(η)");
    let panel = panel.line(Line::new("exact", exact));
    if findings.discrepancy.is_none() {
        return panel;
    }
    let mu = findings.mu;
    let points = printed(peaks, mu, |peak| peak.printed.map(|printed| printed.q));
    panel
        .line(Line::new("as printed", points))
        .mark(Mark::new(mu, mu).slot(1))
        .mark(Mark::new(mu, mu * (1.0 + mu)).slot(1).open())
}

fn maximum(findings: &Findings, peaks: &[Peak]) -> Panel {
    let exact = peaks.iter().map(|peak| (peak.eta, peak.exact.value));
    let panel = Panel::new("The most that can be earned").x_label("η").y_label("reward");
    let panel = panel.line(Line::new("exact", exact));
    let Some(discrepancy) = findings.discrepancy else { return panel };
    let mu = findings.mu;
    let points = printed(peaks, mu, |peak| peak.printed.map(|printed| printed.value));
    let below = discrepancy.late.printed.value;
    panel.line(Line::new("as printed", points)).mark(Mark::new(mu, below).slot(1)).mark(
        Mark::new(mu, below + discrepancy.jump_at_prior)
            .slot(1)
            .open()
            .label(format!("jump {:+.4}", discrepancy.jump_at_prior)),
    )
}
