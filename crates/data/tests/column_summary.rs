//! Summaries of columns do not depend on the order of rows, on how they are shared out, nor on the order of merging.

use onesided_data::{
    ColumnSummary, FeatureKind, FeatureOptions, Features, Holds, MISSING_CODE, Stream, TextColumn,
    TimeColumn, TimeStyle, TimeSummary, UnlikeColumns, Values, read_csv_bytes,
};

/// A column of a kind: cells as readers would keep those of these rows, of which another choice has other levels or needs fewer
/// digits.
struct Column {
    kind: Kind,
    cells: Vec<Option<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Numbers,
    Flags,
    Categories,
    Dates,
    Clock,
    Vectors,
    Texts,
}

const KINDS: [Kind; 7] =
    [Kind::Numbers, Kind::Flags, Kind::Categories, Kind::Dates, Kind::Clock, Kind::Vectors, Kind::Texts];

impl Column {
    /// Numbers of one of several sizes, or what is made of them, with missing cells.
    fn new(seed: u64, kind: Kind) -> Self {
        let mut draw = Stream::new(seed, "columns");
        let rows = 1 + draw.below(300);
        let (size, missing) = (draw.below(6), [0.0, 0.1, 0.9, 1.0][draw.below(4)]);
        let mut cell = |_| {
            let number = match size {
                0 => draw.normal() * 1e-3,
                1 => draw.below(5) as f64 - 2.0,
                2 => (draw.normal() * 20.0).exp2(),
                // Beyond what single precision holds, next to each other or far apart.
                3 => 1_700_000_000.0 + draw.below(1_000) as f64,
                4 => draw.below(1 << 40) as f64 / 8.0,
                _ => [0.0, -0.0, 1e-40, -1e-40, 3e38, 7.5][draw.below(6)],
            };
            (draw.uniform() >= missing).then_some(number)
        };
        Self { kind, cells: (0..rows).map(&mut cell).collect() }
    }

    fn values(&self, rows: &[usize]) -> Values {
        let cells = || rows.iter().map(|&row| self.cells[row]);
        let whole = |number: f64| (number.abs() as u64 % 17) as u32;
        match self.kind {
            Kind::Numbers => {
                let is_small = |x: f64| x.abs() < 4096.0;
                if cells().flatten().all(|x| is_small(x) || f64::from(x as f32) == x) {
                    return Values::Numeric(cells().map(|x| x.map_or(f32::NAN, |x| x as f32)).collect());
                }
                let kept = |x: f64| if is_small(x) { f64::from(x as f32) } else { x };
                Values::Wide(cells().map(|x| x.map_or(f64::NAN, kept)).collect())
            }
            Kind::Flags => Values::Boolean(cells().map(|x| x.map(|x| x > 0.0)).collect()),
            Kind::Categories => {
                let mut levels: Vec<String> = cells().flatten().map(|x| format!("c{}", whole(x))).collect();
                levels.sort();
                levels.dedup();
                let code = |x: f64| levels.binary_search(&format!("c{}", whole(x))).unwrap() as u32;
                let codes = cells().map(|x| x.map_or(MISSING_CODE, code)).collect();
                Values::Categorical { codes, levels }
            }
            Kind::Dates | Kind::Clock => {
                let style = if self.kind == Kind::Clock { TimeStyle::Clock } else { TimeStyle::YearFirst };
                let seconds = |x: f64| x.abs() % if self.kind == Kind::Clock { 86_400.0 } else { 2e9 };
                let seconds = cells().map(|x| x.map_or(f64::NAN, seconds)).collect();
                Values::Times(TimeColumn::of(seconds, style))
            }
            Kind::Vectors => {
                let row = |x: Option<f64>| match x {
                    Some(x) => [x as f32, (x / 3.0) as f32, 1.0],
                    None => [f32::NAN; 3],
                };
                Values::Vectors { width: 3, values: cells().flat_map(row).collect() }
            }
            Kind::Texts => {
                let mut texts = TextColumn::default();
                cells().for_each(|x| match x {
                    Some(x) => texts.push(&x.to_string()),
                    None => texts.push_missing(),
                });
                Values::Text(texts)
            }
        }
    }
}

fn encoded(summary: &ColumnSummary<'_>) -> String {
    serde_json::to_string(summary).unwrap()
}

#[test]
fn any_partition_merged_in_any_order_gives_the_bytes_of_the_whole() {
    let mut kinds = Vec::new();
    for seed in 0..20 {
        for kind in KINDS {
            let column = Column::new(seed, kind);
            let mut rows: Vec<usize> = (0..column.cells.len()).collect();
            let all = column.values(&rows);
            let whole = encoded(&ColumnSummary::of(&all));
            kinds.push((kind, whole.contains("nothing"), whole.contains("rounded")));
            let mut draw = Stream::new(seed, "partitions");
            for parts in [1, 2, 3, 7, rows.len()] {
                // Rows in another order, shared out unevenly; some parts are empty.
                draw.shuffle(&mut rows);
                let mut cuts: Vec<usize> = (1..parts).map(|_| draw.below(rows.len() + 1)).collect();
                cuts.extend([0, rows.len()]);
                cuts.sort_unstable();
                let parts: Vec<Values> =
                    cuts.windows(2).map(|cut| column.values(&rows[cut[0]..cut[1]])).collect();
                let mut summaries: Vec<ColumnSummary<'_>> = parts.iter().map(ColumnSummary::of).collect();
                draw.shuffle(&mut summaries);
                // One after the other, as they are sent; or two and two, as a tree.
                let mut line = ColumnSummary::default();
                for summary in &summaries {
                    let sent: ColumnSummary<'_> = serde_json::from_str(&encoded(summary)).unwrap();
                    line.merge(&sent).unwrap();
                }
                while summaries.len() > 1 {
                    let other = summaries.pop().unwrap();
                    let place = draw.below(summaries.len());
                    summaries[place].merge(&other).unwrap();
                }
                assert_eq!(encoded(&line), whole, "{kind:?}, seed {seed}");
                assert_eq!(encoded(&summaries[0]), whole, "{kind:?}, seed {seed}");
            }
        }
    }
    // Each kind came with values and without, and numbers of both widths.
    for kind in KINDS {
        assert!(kinds.iter().any(|(other, nothing, _)| *other == kind && !nothing), "{kind:?}");
        assert!(kinds.iter().any(|(other, nothing, _)| *other == kind && *nothing), "{kind:?}");
    }
    assert!(kinds.iter().any(|(_, _, wide)| *wide));
}

#[test]
fn a_table_is_learned_from_what_its_parts_tell() {
    let mut draw = Stream::new(11, "table");
    let mut text = String::from("x,seconds,flag,color,when,hour\n");
    for _ in 0..500 {
        let x = if draw.below(9) == 0 { String::new() } else { format!("{:.3}", 1e4 * draw.normal()) };
        let (seconds, flag) = (1_700_000_000 + draw.below(90_000), draw.below(3) == 0);
        let color = ["red", "blue", "", "green"][draw.below(4)];
        let when = format!("20{}-{:02}-{:02}", 20 + draw.below(4), 1 + draw.below(12), 1 + draw.below(28));
        let hour = format!("{}:{:02}", draw.below(24), draw.below(60));
        text += &format!("{x},{seconds},{flag},{color},{when},{hour}\n");
    }
    let frame = read_csv_bytes(text.as_bytes()).unwrap();
    let (features, ..) = Features::fit(frame.clone(), &FeatureOptions::default()).unwrap();
    assert_eq!(features.columns().len(), 6);
    for (feature, column) in features.columns().iter().zip(&frame.columns) {
        let mut merged = ColumnSummary::default();
        for rows in [400..500, 0..1, 1..400] {
            merged.merge(&ColumnSummary::of_rows(&column.values, rows)).unwrap();
        }
        let seen = feature.seen.as_ref().unwrap();
        assert_eq!((seen.rows as u64, seen.missing as u64), (merged.rows, merged.missing));
        match (&feature.kind, &merged.holds) {
            (&FeatureKind::Numeric { mean, scale, wide }, Holds::Numbers(numbers)) => {
                let rounded = numbers.rounded.as_ref().filter(|_| !wide);
                let moments = rounded.unwrap_or(&numbers.moments);
                assert_eq!((moments.finish(), wide), (Ok((mean, scale)), feature.name == "seconds"));
                let points = seen.points.unwrap();
                assert_eq!(numbers.moments.range(), Some((points[0], points[4])));
                assert_eq!((seen.logs, feature.no_sign), (numbers.logs, false));
            }
            (&FeatureKind::Boolean { mean, .. }, &Holds::Flags([no, yes])) => {
                assert_eq!(mean, yes as f64 / (no + yes) as f64);
            }
            (FeatureKind::Categorical { levels, .. }, Holds::Categories(counts)) => {
                assert!(levels.iter().eq(counts.iter().map(|(level, _)| level.as_ref())));
            }
            (FeatureKind::Time { parts, style, .. }, Holds::Times(times)) => {
                assert_eq!((*style, parts.is_empty()), (times.style, false));
                for part in parts {
                    let at = TimeSummary::parts_of(*style).iter().position(|of| *of == part.part);
                    assert_eq!(times.parts[at.unwrap()].finish(), Ok((part.mean, part.scale)));
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn threads_share_out_the_rows_of_a_long_column() {
    let mut draw = Stream::new(3, "long");
    let rows = 700_000;
    let numbers: Vec<f32> = (0..rows).map(|_| draw.normal() as f32).collect();
    let mean = numbers.iter().map(|&x| f64::from(x)).sum::<f64>() / rows as f64;
    let values = Values::Numeric(numbers);
    let all = ColumnSummary::of(&values);
    assert_eq!(encoded(&all), encoded(&ColumnSummary::of_rows(&values, 0..rows)));
    let Holds::Numbers(numbers) = &all.holds else { panic!("{all:?}") };
    let (exact, scale) = numbers.moments.finish().unwrap();
    assert!((exact - mean).abs() < 1e-12 && (scale - 1.0).abs() < 0.01, "{exact} {mean} {scale}");
    assert_eq!(
        (numbers.counts.count(), numbers.counts.is_exact(), numbers.whole),
        (rows as u64, false, false)
    );
}

#[test]
fn columns_of_other_kinds_are_not_merged() {
    let numbers = Values::Numeric(vec![1.0, 2.0]);
    let words = Values::Categorical { codes: vec![0, 1], levels: vec!["a".to_string(), "b".to_string()] };
    let mut summary = ColumnSummary::of(&numbers);
    let before = summary.clone();
    let error = summary.merge(&ColumnSummary::of(&words)).unwrap_err();
    assert_eq!(error, UnlikeColumns("numeric", "text"));
    assert_eq!(
        error.to_string(),
        "a column that is numeric and one that is text cannot be one column: convert one of them"
    );
    assert_eq!(summary, before);
    // Vectors of other lengths, dates of other styles.
    let vectors = |width| Values::Vectors { width, values: vec![1.0; 6] };
    assert!(ColumnSummary::of(&vectors(2)).merge(&ColumnSummary::of(&vectors(3))).is_err());
    let dates = |style| Values::Times(TimeColumn::of(vec![0.0], style));
    let (days, clock) = (dates(TimeStyle::YearFirst), dates(TimeStyle::Clock));
    assert!(ColumnSummary::of(&days).merge(&ColumnSummary::of(&clock)).is_err());
}

#[test]
fn categories_are_counted() {
    let words = Values::Categorical {
        codes: vec![1, MISSING_CODE, 1, 0],
        levels: ["blue", "red", "unused"].map(str::to_string).to_vec(),
    };
    let summary = ColumnSummary::of(&words);
    let Holds::Categories(levels) = &summary.holds else { panic!("{summary:?}") };
    let levels: Vec<(&str, u64)> = levels.iter().map(|(level, count)| (level.as_ref(), *count)).collect();
    assert_eq!(levels, [("blue", 1), ("red", 2), ("unused", 0)]);
    assert_eq!((summary.rows, summary.missing), (4, 1));
}
