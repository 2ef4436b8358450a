//! Tables: numbers, categories, texts and vectors, each column as what it is.

use super::dataset::is_weight;
use super::summary::summary;
use super::{Dataset, Input, InputOptions, Note, Roles, RowNames, keys};
use crate::EncodeReport;
use crate::label::{
    apart, folded_labels, labels_from_column, other_label, taken_as, truth_from_column,
    with_blank_rows_filled,
};
use crate::screen::{Asked, Findings};
use crate::{DataError, FeatureOptions, Features, Frame, Label, LabelColumn};
use onesided_table::is_stream;
use onesided_table::{Column, TextColumn, Values, agree_on_dates, find_compact_dates, stack_named};
use onesided_table::{NumberStyle, NumbersWritten, ReadOptions, Source, TableError, Written};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A table with what is known of its rows taken out.
pub(super) struct Table {
    pub frame: Frame,
    pub answers: Answers,
}

/// What is known of rows besides their features.
#[derive(Default)]
pub(super) struct Answers {
    pub labels: Option<Vec<Label>>,
    /// The column that these came from.
    pub label_column: Option<LabelColumn>,
    /// What the column of a model's labels says, where the table has it.
    pub told: Option<Vec<Label>>,
    /// What rows are called by the column that names them in a model's own table, where the table has it.
    pub named: Option<RowNames>,
    pub truth: Option<Vec<bool>>,
    pub weights: Option<Vec<f32>>,
    /// What the groups of rows are called.
    pub groups: Option<TextColumn>,
    pub ids: Vec<(String, TextColumn)>,
    /// What labels leave open.
    pub notes: Vec<Note>,
}

/// Columns that say something of the rows and are not features.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub roles: &'a Roles,
    pub told: Option<&'a LabelColumn>,
    pub told_asked: bool,
    pub named: Option<&'a String>,
}

impl<'a> From<&'a Roles> for Known<'a> {
    fn from(roles: &'a Roles) -> Self {
        Self { roles, told: None, told_asked: false, named: None }
    }
}

impl InputOptions {
    /// How tables are written, whatever is read of them.
    pub(super) fn as_written(&self) -> ReadOptions {
        self.roles.as_written(&self.files)
    }

    /// How to read a table to learn from, for those who fill a [`Frame`] themselves.
    pub fn read_options(&self) -> ReadOptions {
        let numbers = |name: &String| (name.clone(), Written::Numbers(None));
        let dates = |name: &String| (name.clone(), Written::Dates(None));
        let mut options = ReadOptions {
            drop: self.drop.clone(),
            text: self.text.clone(),
            written: self.numeric.iter().map(numbers).chain(self.date.iter().map(dates)).collect(),
            categories: self.categorical.clone(),
            missing: self.missing,
            ..self.as_written()
        };
        if !self.only.is_empty() {
            options.only = Some([self.only.as_slice(), &self.text].concat());
        }
        options
    }

    /// The columns that somebody named, for the rules about columns.
    pub(super) fn asked_columns(&self) -> Asked<'_> {
        let by_name = [&self.numeric, &self.date, &self.only].into_iter().flatten().collect();
        Asked { by_name, as_words: self.categorical.iter().chain(&self.text).collect() }
    }

    /// Learns the encoding of a table in memory and applies it, as [`read`](Self::read) does of one in a file. The frame
    /// was filled by [`read_options`](Self::read_options) and holds features alone.
    pub fn learn(&self, frame: Frame) -> Result<Dataset, DataError> {
        self.check()?;
        learn(self, frame, None)
    }

    /// [`learn`](Self::learn) with a label per row, by which columns are found that name rows or tell the labeled ones.
    pub fn learn_labeled(&self, frame: Frame, labels: Vec<Label>) -> Result<Dataset, DataError> {
        self.check()?;
        Ok(learn(self, frame, Some(&labels))?.with_labels(labels)?.with_copies_noted())
    }
}

/// One table, or two, from which the features are learned.
pub(super) fn read(options: &InputOptions, input: &Input) -> Result<Dataset, DataError> {
    if let Some(unlabeled) = options.max_unlabeled {
        return super::draw::read(options, input, unlabeled);
    }
    let Table { frame, mut answers } = read_tables(input, options.read_options(), (&options.roles).into())?;
    if let Some(labels) = &mut answers.labels {
        options
            .unlabel
            .iter()
            .filter(|&&row| row < frame.rows)
            .for_each(|&row| labels[row] = Label::Unlabeled);
    }
    Ok(finish(learn(options, frame, answers.labels.as_deref())?, answers)?.with_copies_noted())
}

/// Features of a table whose answers were taken out.
pub(super) fn learn(
    options: &InputOptions,
    mut frame: Frame,
    labels: Option<&[Label]>,
) -> Result<Dataset, DataError> {
    for name in &options.only {
        // What is known of the rows was taken out; what cannot be learned from was noted.
        let taken = options.roles.columns().chain(&options.drop);
        let noted = frame.left_out.iter().map(|left_out| &left_out.column);
        if !taken.chain(noted).any(|other| other == name) {
            frame.column(name)?;
        }
    }
    for name in options.numeric.iter().chain(&options.categorical) {
        if !frame.is_left_out(name) {
            frame.column(name)?;
        }
    }
    for name in &options.date {
        if !matches!(frame.column(name)?.values, Values::Times(_)) {
            return Err(DataError::NotDates { column: name.clone() });
        }
    }
    for name in &options.text {
        let column = frame.column(name)?;
        if let Values::Text(texts) = &column.values {
            check_text(name, texts)?;
        }
    }
    find_compact_dates(&mut frame, &options.numeric);
    let open = agree_on_dates(&mut frame);
    let labels = labels.filter(|labels| labels.len() == frame.rows);
    let read = options.keys_of.map(|columns| (columns, frame.clone()));
    let named = RowNames::candidates(&frame);
    let mut findings = Findings::default();
    let blank = frame.blank_rows().len();
    findings.look(&options.asked_columns(), &mut frame, labels, blank);
    let unused = std::mem::take(&mut frame.ignored);
    let met = Note::of_cells(&frame);
    let features =
        FeatureOptions { missing: options.missing, scaling: options.scaling, text: options.text_options() };
    let (features, rows, mut report) = Features::fit(frame, &features)?;
    let is_name = |named: &RowNames| {
        report.left_out.iter().any(|out| out.column == named.column && RowNames::is_name(out.why))
    };
    let named = named.into_iter().find(is_name);
    let keys = read.and_then(|(columns, read)| {
        let is_feature = |name: &str| features.columns().iter().any(|feature| feature.name == name);
        let meant = keys::meant(&read, is_feature, columns)?;
        Some(keys::of_rows(&read, |name| meant.contains(&name)))
    });
    let columns = summary(&features, &report, &unused);
    let notes = notes_of(met, &mut report, findings, &features, open, unused);
    Ok(Dataset::new(rows, Arc::new(features.into()))
        .with_notes(notes)
        .with_missing(report.cells)
        .with_keys(keys)
        .with_row_names(named)
        .with_blank(report.blank)
        .with_columns(columns)
        .with_asked(options))
}

/// What is to be told of a table from which features were learned.
pub(super) fn notes_of(
    met: Vec<Note>,
    report: &mut EncodeReport,
    mut findings: Findings,
    features: &Features,
    open: Vec<(String, bool)>,
    unused: Vec<String>,
) -> Vec<Note> {
    findings.tell_once(features, report);
    let Findings { stops, called_ids, leaks } = findings;
    let mut notes = met;
    notes.extend(Note::of_report(report));
    notes.extend(Note::of_leaks(&leaks));
    notes.extend(stops.into_iter().map(Note::LabelsStop));
    notes.extend((!called_ids.is_empty()).then_some(Note::CalledIds(called_ids)));
    notes.extend((!open.is_empty()).then_some(Note::OpenDates(open)));
    notes.extend((!unused.is_empty()).then_some(Note::NotUsed(unused)));
    notes
}

/// A column of numbers is not a column of texts, whatever it is called.
fn check_text(name: &str, texts: &TextColumn) -> Result<(), DataError> {
    let number = |text: &str| text.trim().parse::<f64>().is_ok();
    let mut present = texts.iter().filter(|text| !text.trim().is_empty()).peekable();
    if present.peek().is_some() && present.all(number) {
        return Err(DataError::NumericText { column: name.to_string(), rows: texts.len() });
    }
    Ok(())
}

/// Puts rows and what is known of them together.
pub(super) fn finish(mut data: Dataset, answers: Answers) -> Result<Dataset, DataError> {
    let Answers { labels, label_column, told, named, truth, weights, groups, ids, notes } = answers;
    data = data.with_notes(notes).with_label_column(label_column).with_told(told)?;
    if named.is_some() {
        data = data.with_row_names(named);
    }
    if let Some(labels) = labels {
        data = data.with_labels(labels)?;
    }
    if let Some(truth) = truth {
        data = data.with_truth(truth)?;
    }
    if let Some(weights) = weights {
        data = data.with_weights(weights)?;
    }
    if let Some(groups) = groups {
        data = data.with_groups(numbered(&groups))?;
    }
    for (name, column) in ids {
        data = data.with_ids(&name, column)?;
    }
    Ok(data)
}

/// Reads a table, or two or three one above the other, and takes out what is known of the rows.
pub(super) fn read_tables(input: &Input, options: ReadOptions, known: Known) -> Result<Table, DataError> {
    match input {
        Input::One(_) | Input::Parts(_) => read_source(&input.first_source()?, options, known),
        Input::Two { .. } => {
            let places = input.paths();
            let again = |at: usize| is_stream(places[at]) && places[..at].contains(&places[at]);
            if let Some(twice) = (1..places.len()).find(|&at| again(at)) {
                return Err(DataError::StreamTwice { file: places[twice].display().to_string() });
            }
            if let Some(column) = &known.roles.label {
                return Err(DataError::LabelOfTwo { column: column.to_string() });
            }
            // The truth is read of both at once: positives alone are of one class.
            let mut options = options;
            let truth = &known.roles.truth;
            options.categories.extend(truth.clone());
            if let Some(only) = &mut options.only {
                only.extend(truth.clone());
            }
            let roles =
                Roles { id: known.roles.id.clone(), weight: known.roles.weight.clone(), ..Roles::default() };
            let bare = Known::from(&roles);
            let sources = input.sources()?;
            let places: Vec<_> = sources.iter().map(|source| (source, options.clone())).collect();
            let Table { mut frame, mut answers } = stacked(read_settled(&places, bare)?)?;
            if let Some(name) = truth {
                let column = with_blank_rows_filled(frame.take(name)?, &frame.blank_rows());
                answers.truth = Some(truth_from_column(&column, known.roles.positive.as_deref())?);
            }
            Ok(Table { frame, answers })
        }
    }
}

/// Reads tables that belong together. How a column's numbers are written is settled over all of them: where one leaves its decimal sign
/// open and another shows it, it is read again with that sign.
pub(super) fn read_settled(
    places: &[(&Source<'_>, ReadOptions)],
    known: Known,
) -> Result<Vec<Table>, DataError> {
    let read = |(source, options): &(&Source<'_>, ReadOptions)| read_source(source, options.clone(), known);
    let mut tables = places.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let mut shown: BTreeMap<String, NumberStyle> = BTreeMap::new();
    for sure in [Some(false), Some(true)] {
        let cells = tables.iter().flat_map(|table| &table.frame.cells).filter(|cells| cells.sure == sure);
        cells.for_each(|cells| _ = shown.insert(cells.column.clone(), cells.style));
    }
    for (table, (source, options)) in tables.iter_mut().zip(places) {
        let open = table.frame.cells.iter().filter(|cells| cells.sure == Some(false));
        let unlike: Vec<String> = open
            .filter(|cells| shown.get(&cells.column).is_some_and(|style| *style != cells.style))
            .map(|cells| cells.column.clone())
            .collect();
        if unlike.is_empty() {
            continue;
        }
        let mut options = options.clone();
        let as_shown = |name: String| {
            let style = shown.get(&name).copied().unwrap_or_default();
            let written = NumbersWritten { style, grouped: true, no_sign: false };
            (name, Written::Numbers(Some(written)))
        };
        options.written.extend(unlike.into_iter().map(as_shown));
        *table = read_source(source, options, known)?;
    }
    Ok(tables)
}

/// Positives, unlabeled rows and negatives one below the other, with the labels that say so.
pub(super) fn stacked(tables: Vec<Table>) -> Result<Table, DataError> {
    let mut counts = [0; 3];
    let mut all: Option<Table> = None;
    for (at, (table, what)) in
        tables.into_iter().zip(["positives", "unlabeled rows", "negatives"]).enumerate()
    {
        counts[at] = table.frame.rows;
        all = Some(match all {
            None => table,
            Some(Table { frame, mut answers }) => {
                for ((_, ids), (_, more)) in answers.ids.iter_mut().zip(&table.answers.ids) {
                    more.iter().for_each(|id| ids.push(id));
                }
                if let (Some(weights), Some(more)) = (&mut answers.weights, table.answers.weights) {
                    weights.extend(more);
                }
                if let (Some(groups), Some(more)) = (&mut answers.groups, table.answers.groups) {
                    more.iter().for_each(|group| groups.push(group));
                }
                Table { frame: stack_named(frame, table.frame, what)?, answers }
            }
        });
    }
    let mut all = all.unwrap_or_else(|| Table { frame: Frame::default(), answers: Answers::default() });
    all.answers.labels = Some(apart(counts[0], counts[1], counts[2]));
    Ok(all)
}

/// Reads a table and takes out what is known of its rows.
pub(super) fn read_source(
    source: &Source<'_>,
    mut options: ReadOptions,
    known: Known,
) -> Result<Table, DataError> {
    let Known { roles, told, told_asked, named } = known;
    let (positive, negative) = (roles.positive.as_deref(), roles.negative.as_deref());
    let answers: Vec<String> = roles.label.iter().chain(&roles.truth).cloned().collect();
    let beside: Vec<String> = roles.weight.iter().chain(&roles.group).cloned().collect();
    // An identifier that is something else as well is read once as either.
    let only = options.only.as_deref().unwrap_or_default();
    let others = [only, &options.text, &options.categories, &answers, &beside];
    // So is the column of a model's labels, where something is known of it already.
    let optional = told.map(|told| &told.column).into_iter().chain(named);
    let optional: Vec<String> = optional.cloned().collect();
    let is_new = |name: &String| !others.iter().any(|names| names.contains(name));
    let mut optional: Vec<String> = optional.into_iter().filter(is_new).collect();
    let (twice, once): (Vec<&String>, Vec<&String>) =
        roles.id.iter().partition(|name| others.iter().any(|names| names.contains(name)));
    options.categories.extend(answers.iter().cloned());
    options.verbatim.extend(once.iter().map(ToString::to_string).chain(beside.iter().cloned()));
    optional.retain(|name| !options.verbatim.contains(name));
    options.verbatim.extend(optional.iter().cloned());
    if let Some(only) = &mut options.only {
        only.extend(answers.iter().chain(&beside).cloned().chain(once.iter().map(ToString::to_string)));
        only.extend(optional.iter().cloned());
    }
    let mut frame = source.read(&options)?;
    let mut take = |name: &str| frame.take(name).map_err(|error| error.of_sheet(&frame.remarks));
    let of_labels = roles.label.as_deref().map(&mut take).transpose()?;
    let weights = roles.weight.as_deref().map(|name| weights_from(name, &into_texts(take(name)?)));
    let weights = weights.transpose()?;
    let groups =
        roles.group.as_deref().map(|name| Ok::<_, TableError>(into_texts(take(name)?))).transpose()?;
    let of_truth = roles.truth.as_deref().map(take).transpose()?;
    let mut also = if twice.is_empty() {
        Frame::default()
    } else {
        let names: Vec<String> = twice.iter().map(ToString::to_string).collect();
        let only = Some(names.clone());
        let rows = options.rows.clone();
        let verbatim = ReadOptions { verbatim: names, only, rows, ..ReadOptions::default() };
        source.read(&verbatim.written_like(&options))?
    };
    let mut ids = Vec::new();
    for name in &roles.id {
        let from = if twice.contains(&name) { &mut also } else { &mut frame };
        ids.push((name.clone(), into_texts(from.take(name)?)));
    }
    let mut there = |wanted: &String| match ids.iter().find(|(name, _)| name == wanted) {
        Some((_, cells)) => Some(cells.clone()),
        None if optional.contains(wanted) => frame.take(wanted).ok().map(into_texts),
        None => None,
    };
    let told = told.and_then(|column| Some((column, there(&column.column)?)));
    let told = told.map(|(column, cells)| column.labels(cells.iter(), told_asked)).transpose()?;
    let named = named.and_then(|column| Some(RowNames::of_texts(column, &there(column)?)));
    let blank = frame.blank_rows();
    let (mut labels, mut label_column, mut notes) = (None, None, Vec::new());
    if let Some(column) = of_labels.map(|column| with_blank_rows_filled(column, &blank)) {
        let read = labels_from_column(&column, positive, negative)?;
        label_column = Some(LabelColumn::of(&column, &read, &[positive, negative]));
        labels = Some(read);
        let other = other_label(&column, positive).filter(|_| negative.is_none());
        let mut note = other.map(|value| Note::OtherLabel { column: column.name.clone(), value });
        if negative.is_none()
            && let Some((positive, unlabeled)) = taken_as(&column, positive)
        {
            note = Some(Note::Labels { column: column.name.clone(), positive, unlabeled });
        }
        let values = folded_labels(&column, &[positive, negative]);
        if !values.is_empty() {
            notes.push(Note::FoldedLabels { column: column.name.clone(), values });
        }
        notes.extend(note);
    }
    let truth = of_truth.map(|column| with_blank_rows_filled(column, &blank));
    let truth = truth.map(|column| truth_from_column(&column, positive)).transpose()?;
    Ok(Table {
        frame,
        answers: Answers { labels, label_column, told, named, truth, weights, groups, ids, notes },
    })
}

/// Names of groups as numbers; a row without one is a group of its own.
pub(super) fn numbered(groups: &TextColumn) -> Vec<u32> {
    let (mut numbers, mut next) = (HashMap::new(), 0u32);
    let mut new = || {
        next += 1;
        next - 1
    };
    let number = |name: &str| match name.trim() {
        "" => new(),
        name => *numbers.entry(name.to_string()).or_insert_with(&mut new),
    };
    groups.iter().map(number).collect()
}

/// Weights as they are written: numbers above 0.
pub(super) fn weights_from(column: &str, cells: &TextColumn) -> Result<Vec<f32>, DataError> {
    let one = |(row, cell): (usize, &str)| {
        let (column, row, cell) = (column.to_string(), row + 1, cell.trim());
        if cell.is_empty() {
            return Err(DataError::MissingWeight { column, row });
        }
        match cell.parse::<f32>() {
            Ok(weight) if is_weight(weight) => Ok(weight),
            _ => Err(DataError::Weight { column, row, found: cell.to_string() }),
        }
    };
    cells.iter().enumerate().map(one).collect()
}

/// The cells of a column that was asked for verbatim.
fn into_texts(column: Column) -> TextColumn {
    match column.values {
        Values::Text(texts) => texts,
        // Columns asked for verbatim are never of another kind.
        _ => TextColumn::default(),
    }
}
