//! The figure as a chart: a panel an epoch; below them the probabilities of the followed samples, what these look like, and
//! whether those that change sides are those that are wrong.

use super::candidates::{RowToLabel, found};
use super::{Boundary, DrawnRow, Followed, Kind, TrainingFigure, crossings};
use onesided_report::{Chart, Cloud, Gallery, Line, Marker, Panel, Trail};

/// Width and height of a panel's frame.
const FRAME: (f64, f64) = (300.0, 270.0);
/// Air around the clouds, as a share of their extent.
const AIR: f64 = 0.05;
/// Color of the boundary, and its dash.
const BOUNDARY: (usize, usize) = (3, 1);

/// From the back to the front: what a kind is drawn with.
const KINDS: [(Kind, usize, Marker); 3] = [
    (Kind::Negative, 4, Marker::Cross),
    (Kind::Labeled, 0, Marker::Disc),
    (Kind::Hidden, 1, Marker::Triangle),
];

impl TrainingFigure {
    /// The picture.
    pub fn chart(&self) -> Chart {
        let last = self.plan.epochs.len() - 1;
        let mut chart = Chart::new(&self.title).columns(self.plan.epochs.len().max(2));
        for (number, &epoch) in self.plan.epochs.iter().enumerate() {
            chart = chart.panel(self.at(epoch, number == last));
        }
        chart.panel(self.probabilities()).gallery(self.gallery()).panel(self.mistakes())
    }

    /// The activations after an epoch, with the ways of the followed samples up to it.
    fn at(&self, epoch: usize, legend: bool) -> Panel {
        let now = |sample: &DrawnRow| sample.places[epoch - 1];
        let clouds = self.samples.iter().map(now);
        let ways = self.followed.iter().flat_map(|one| &self.samples[one.sample].places[..epoch]).copied();
        let points: Vec<(f64, f64)> = clouds.chain(ways).collect();
        let (x, y) = (extent(points.iter().map(|p| p.0)), extent(points.iter().map(|p| p.1)));
        let mut panel = Panel::new(format!("Epoch {epoch}"))
            .frame(FRAME.0, FRAME.1)
            .x_label("first unit")
            .y_label("second unit")
            .x_range(x.0, x.1)
            .y_range(y.0, y.1);
        for (kind, slot, marker) in KINDS {
            let of = || self.samples.iter().filter(|sample| sample.track.kind == kind);
            let label =
                if legend { format!("{} ({})", self.named(kind), of().count()) } else { String::new() };
            panel = panel.cloud(Cloud::new(label, slot, marker, of().map(now)));
        }
        // Through the whole frame, wherever the line comes nearest to the origin.
        let far = [x.0, x.1, y.0, y.1].iter().map(|end| end.abs()).sum::<f64>() * 2.0;
        if let Some(ends) = self.boundaries.get(epoch - 1).and_then(|line: &Boundary| line.ends(far)) {
            let label = if legend { "boundary" } else { "" };
            panel = panel.line(Line::new(label, ends).slot(BOUNDARY.0).dash(BOUNDARY.1));
        }
        for (number, one) in self.followed.iter().enumerate() {
            let DrawnRow { track, places, .. } = &self.samples[one.sample];
            let (slot, marker) = look(track.kind);
            panel = panel.trail(Trail::new(tag(number), slot, marker, places[..epoch].iter().copied()));
        }
        panel
    }

    /// The probabilities of the followed samples after each epoch.
    fn probabilities(&self) -> Panel {
        let epochs = self.boundaries.len();
        let mut panel = Panel::new(format!("Probability of “{}”", self.plan.positive_name))
            .frame(FRAME.0, FRAME.1)
            .x_label("epoch")
            .y_label("probability")
            .x_range(1.0, epochs.max(2) as f64)
            .y_range(0.0, 1.0);
        let half = Line::new("", [(1.0, 0.5), (epochs.max(2) as f64, 0.5)]);
        panel = panel.line(half.slot(BOUNDARY.0).dash(BOUNDARY.1));
        // Samples of one kind have one color and differ in their dash.
        let mut used: Vec<usize> = Vec::new();
        for (number, one) in self.followed.iter().enumerate() {
            let track = &self.samples[one.sample].track;
            let (slot, _) = look(track.kind);
            let dash = used.iter().filter(|&&before| before == slot).count();
            used.push(slot);
            let points =
                track.scores.iter().zip(1..).map(|(&score, epoch)| (f64::from(epoch), sigmoid(score)));
            panel = panel.line(Line::new(tag(number), points).slot(slot).dash(dash));
        }
        panel
    }

    /// What the followed samples look like, and how they end.
    fn gallery(&self) -> Gallery {
        let mut gallery = Gallery::new("Followed samples");
        for (number, Followed { rule, sample, picture }) in self.followed.iter().enumerate() {
            let DrawnRow { name, track, .. } = &self.samples[*sample];
            let ends = [track.scores.first(), track.scores.last()]
                .map(|score| format!("{:.2}", sigmoid(score.copied().unwrap_or(0.0))));
            let (first, last) = (&ends[0], &ends[1]);
            let times = match crossings(&track.scores) {
                0 => "no crossing".to_string(),
                1 => "1 crossing".to_string(),
                many => format!("{many} crossings"),
            };
            let found = if self.files {
                name.rsplit(['/', '\\']).next().unwrap_or_default().to_string()
            } else {
                format!("row {name}")
            };
            let head = format!("{}  {rule}", tag(number));
            let lines = [
                format!("{}, {found}", self.named(track.kind)),
                format!("probability {first} → {last}, {times}"),
            ];
            gallery = gallery.entry(picture.clone(), head, lines);
        }
        gallery
    }

    /// Whether the candidates' order leads to mistakes sooner than the scores of the last epoch alone do.
    fn mistakes(&self) -> Panel {
        let mut nearest: Vec<&RowToLabel> = self.candidates.iter().collect();
        nearest.sort_by(|a, b| a.score.abs().total_cmp(&b.score.abs()));
        Panel::new("Mistakes found among unlabeled rows")
            .frame(FRAME.0, FRAME.1)
            .x_label("rows looked at, %")
            .y_label("mistakes met, %")
            .x_range(0.0, 100.0)
            .y_range(0.0, 100.0)
            .line(Line::new("most crossings first", found(self.candidates.iter())).slot(2).dash(0))
            .line(Line::new("nearest score first", found(nearest.into_iter())).slot(3).dash(1))
            .line(Line::new("at random", [(0.0, 0.0), (100.0, 100.0)]).slot(4).dash(2))
    }

    /// `dog, hidden`.
    pub fn named(&self, kind: Kind) -> String {
        match kind {
            Kind::Labeled => format!("{}, labeled", self.plan.positive_name),
            Kind::Hidden => format!("{}, hidden", self.plan.positive_name),
            Kind::Negative => self.plan.negative_name.clone(),
        }
    }
}

/// `S1`, `S2`, …
pub(super) fn tag(number: usize) -> String {
    format!("S{}", number + 1)
}

fn look(kind: Kind) -> (usize, Marker) {
    KINDS.iter().find(|(of, ..)| *of == kind).map_or((0, Marker::Disc), |&(_, slot, marker)| (slot, marker))
}

fn sigmoid(score: f32) -> f64 {
    1.0 / (1.0 + (-f64::from(score)).exp())
}

/// The ends of these numbers with some air.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    let air = AIR * (high - low);
    (low - air, high + air)
}
