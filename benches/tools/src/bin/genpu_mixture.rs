//! GenPU on a mixture in the plane: positives have two modes, negatives three, and 100 positives are labeled.
//!
//!     cargo run --release -p onesided-tools --bin genpu_mixture -- docs/pictures/genpu.svg
//!
//! Draws what is given next to what the generators make, and prints how many generated rows lie at each mode of their
//! class and how many new rows the classifier puts on the right side.

use onesided_classic::Problem;
use onesided_classic::genpu::GenPu;
use onesided_data::{Label, Matrix, PriorInUnlabeled, Scenario, Stream};
use onesided_report::{Chart, Line, Mark, Panel};
use std::error::Error;

const POSITIVE: [(f64, f64); 2] = [(-2.0, 2.0), (2.0, -2.0)];
const NEGATIVE: [(f64, f64); 3] = [(2.0, 2.0), (0.0, 0.0), (-2.0, -2.0)];
/// Standard deviation of every mode.
const SPREAD: f64 = 0.4;
const LABELED: usize = 100;
const UNLABELED: usize = 2000;
/// The share of positives among the unlabeled rows.
const MU: f64 = 0.4;
/// Points drawn of each kind.
const DRAWN: usize = 300;
/// Rows counted of each class.
const MADE: usize = 3000;
/// The axes reach from -EDGE to EDGE.
const EDGE: f64 = 4.0;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name the picture to write")?;
    let mut stream = Stream::new(1, "mixture");
    let mut draw = |modes: &[(f64, f64)]| {
        let (x, y) = modes[stream.below(modes.len())];
        [(x + SPREAD * stream.normal()) as f32, (y + SPREAD * stream.normal()) as f32]
    };
    let hidden = (MU * UNLABELED as f64) as usize;
    let positives: Vec<[f32; 2]> = (0..LABELED + hidden).map(|_| draw(&POSITIVE)).collect();
    let negatives: Vec<[f32; 2]> = (0..UNLABELED - hidden).map(|_| draw(&NEGATIVE)).collect();
    let values: Vec<f32> = positives.iter().chain(&negatives).flatten().copied().collect();
    let rows = Matrix::new(LABELED + UNLABELED, 2, values)?;
    let labels: Vec<Label> =
        (0..rows.rows()).map(|i| if i < LABELED { Label::Positive } else { Label::Unlabeled }).collect();
    let prior = Some(PriorInUnlabeled::new(MU)?);
    let problem = Problem {
        rows: &rows,
        labels: &labels,
        weights: None,
        prior,
        scenario: Scenario::CaseControl,
        seed: 1,
        threads: 0,
        go_on: None,
    };
    // The classifier is as good after a third of the steps; modes take longer to get their shares.
    let system = GenPu { steps: Some(10_000), batch: 256, ..GenPu::default() };
    let fit = system.fit_generators(&problem)?;
    println!("{:?}", fit.model.chosen);

    let generators = &fit.generators;
    for (name, made, own) in [
        ("positives", generators.positives(MADE, 0), &POSITIVE[..]),
        ("negatives", generators.negatives(MADE, 0), &NEGATIVE[..]),
    ] {
        let near = |row: &[f32]| own.iter().position(|mode| distance(row, mode) < 3.0 * SPREAD);
        let mut counts = vec![0; own.len()];
        made.chunks_exact(2).filter_map(near).for_each(|mode| counts[mode] += 1);
        println!("of {MADE} generated {name}, {counts:?} lie within three deviations of a mode of theirs");
    }
    let new: Vec<[f32; 2]> =
        (0..5000).map(|i| if i < 2000 { draw(&POSITIVE) } else { draw(&NEGATIVE) }).collect();
    let scores = fit.model.scores(&Matrix::new(5000, 2, new.concat())?)?;
    let right =
        scores.iter().enumerate().filter(|(i, score)| (**score > fit.model.threshold) == (*i < 2000)).count();
    println!("accuracy on new rows: {:.2} %", right as f64 / 50.0);

    let panel =
        |title: &str| Panel::new(title).x_label("x").y_label("y").x_range(-EDGE, EDGE).y_range(-EDGE, EDGE);
    let marked = |panel: Panel, rows: &[f32], positive: bool| {
        rows.chunks_exact(2).take(DRAWN).fold(panel, |panel, row| {
            let mark = Mark::new(f64::from(row[0]), f64::from(row[1])).slot(usize::from(positive));
            panel.mark(if positive { mark } else { mark.open() })
        })
    };
    // Unlabeled rows from all over: the first ones are all positive.
    let mut some: Vec<usize> = (LABELED..rows.rows()).collect();
    stream.shuffle(&mut some);
    let unlabeled = rows.select(&some).into_vec();
    let given = marked(panel("Given: labeled positives (dots), unlabeled (rings)"), &unlabeled, false);
    let given = marked(given, &rows.as_slice()[..2 * LABELED], true);
    let made = marked(
        panel("Generated: positives (dots), negatives (rings)"),
        &generators.negatives(DRAWN, 1),
        false,
    );
    let made = marked(made, &generators.positives(DRAWN, 1), true);
    let made = made.line(
        Line::new(
            "threshold",
            boundary(|grid| {
                Ok(fit.model.scores(grid)?.into_iter().map(|score| score - fit.model.threshold).collect())
            })?,
        )
        .slot(4),
    );
    let svg = Chart::new("GenPU on a mixture of five modes").panel(given).panel(made).to_svg();
    std::fs::write(&path, svg).map_err(|error| format!("{path}: {error}"))?;
    Ok(())
}

fn distance(row: &[f32], (x, y): &(f64, f64)) -> f64 {
    (f64::from(row[0]) - x).hypot(f64::from(row[1]) - y)
}

/// Where the score changes its sign, as short lines through the cells of a grid, each followed by a gap.
fn boundary(
    scores: impl Fn(&Matrix) -> Result<Vec<f64>, Box<dyn Error>>,
) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    const CELLS: usize = 80;
    let at = |i: usize| EDGE * (2.0 * i as f64 / CELLS as f64 - 1.0);
    let corners = (0..=CELLS).flat_map(|i| (0..=CELLS).map(move |j| [at(i) as f32, at(j) as f32]));
    let values = corners.flatten().collect();
    let scores = scores(&Matrix::new((CELLS + 1) * (CELLS + 1), 2, values)?)?;
    let score = |(i, j): (usize, usize)| scores[i * (CELLS + 1) + j];
    let mut points = Vec::new();
    for i in 0..CELLS {
        for j in 0..CELLS {
            let around = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1), (i, j)];
            let crossings = around.windows(2).filter_map(|ends| {
                let (a, b) = (score(ends[0]), score(ends[1]));
                let t = a / (a - b);
                let between = |from: usize, to: usize| at(from) + t * (at(to) - at(from));
                ((a > 0.0) != (b > 0.0))
                    .then(|| (between(ends[0].0, ends[1].0), between(ends[0].1, ends[1].1)))
            });
            let crossings: Vec<(f64, f64)> = crossings.collect();
            for pair in crossings.chunks_exact(2) {
                points.extend([pair[0], pair[1], (f64::NAN, f64::NAN)]);
            }
        }
    }
    Ok(points)
}
