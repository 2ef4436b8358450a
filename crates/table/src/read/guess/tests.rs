use super::super::{NumbersWritten, Written};
use super::*;
use crate::Stream;

fn guess_as(wanted: Wanted, cells: &[&str]) -> Result<(Outcome, Remarks), (Trouble, Seen)> {
    let mut guess = Guess::new(wanted);
    for (at, cell) in cells.iter().enumerate() {
        guess.push(cell.as_bytes(), at as u64 + 2);
    }
    guess.finish(Habit::default())
}

fn guess(cells: &[&str]) -> Outcome {
    match guess_as(Wanted::Any, cells) {
        Ok((outcome, _)) => outcome,
        Err((trouble, _)) => panic!("{trouble:?}"),
    }
}

fn numbers(outcome: Outcome) -> Vec<f32> {
    match outcome {
        Outcome::Done(Values::Numeric(numbers)) => numbers,
        _ => panic!("no numbers"),
    }
}

#[test]
fn the_type_follows_from_the_cells() {
    let found = numbers(guess(&["", "1", "NA", "2.5"]));
    assert!(found[0].is_nan() && found[2].is_nan());
    assert_eq!([found[1], found[3]], [1.0, 2.5]);
    let Outcome::Done(Values::Boolean(flags)) = guess(&["?", "true", "False", "-"]) else { panic!() };
    assert_eq!(flags, [None, Some(true), Some(false), None]);
    for text in [["1", "red"], ["true", "1"], ["1", "true"], ["red", "1"], ["true", "maybe"]] {
        assert!(matches!(guess(&text), Outcome::Text), "{text:?}");
    }
    assert_eq!(numbers(guess(&["", ""])).len(), 2);
}

#[test]
fn large_numbers_keep_every_digit() {
    let Outcome::Done(Values::Wide(seconds)) = guess(&["1700000001", "", "1700000002"]) else { panic!() };
    assert_eq!((seconds[0], seconds[2]), (1_700_000_001.0, 1_700_000_002.0));
    assert!(seconds[1].is_nan());
    // Exact as f32, or small: nothing to gain.
    assert!(matches!(guess(&["1e30", "16777216"]), Outcome::Done(Values::Wide(_))));
    assert!(matches!(guess(&["16777216", "0.1", "4095.9"]), Outcome::Done(Values::Numeric(_))));
}

#[test]
fn markers_are_missing_among_numbers_and_words_among_words() {
    let english =
        ["#N/A", "-", "--", "nan", "NaN", ".", "unknown", "none", "nil", "#DIV/0!", "<NA>", "missing"];
    let others =
        ["k.A.", "k. A.", "keine Angabe", "Unbekannt", "#NV", "#WERT!", "n/d", "inconnu", "#¡VALOR!"];
    for marker in english.into_iter().chain(others) {
        let found = numbers(guess(&["1", marker, "2"]));
        assert!(found[1].is_nan() && found[2] == 2.0, "{marker}");
        assert!(matches!(guess(&["red", marker, "blue"]), Outcome::Text), "{marker}");
        assert!(matches!(guess(&[marker, marker]), Outcome::Text), "{marker}");
    }
}

#[test]
fn infinities_are_refused_among_numbers_and_words_among_texts() {
    let trouble = |cells: &[&str]| guess_as(Wanted::Any, cells).err().unwrap();
    assert_eq!(trouble(&["1", "inf"]), (Trouble::NotFinite, (b"inf".to_vec(), 3)));
    assert_eq!(trouble(&["1", "1e39"]), (Trouble::TooLarge, (b"1e39".to_vec(), 3)));
    assert_eq!(trouble(&["inf", "inf"]).1.1, 2);
    assert!(matches!(guess(&["1", "inf", "red"]), Outcome::Text));
}

#[test]
fn numbers_as_people_write_them() {
    let (outcome, remarks) = guess_as(Wanted::Any, &["7", "25%", "$1,500", "(3)"]).unwrap();
    assert_eq!(numbers(outcome), [7.0, 0.25, 1500.0, -3.0]);
    assert_eq!((remarks.style, remarks.example), (NumberStyle::Point, Some((b"25%".to_vec(), 0.25))));
    // The column is consistent with a decimal comma alone, and is read again.
    let (outcome, remarks) = guess_as(Wanted::Any, &["3", "1,500", "2,5"]).unwrap();
    assert!(matches!(outcome, Outcome::Numbers(NumberStyle::Comma)));
    assert_eq!(remarks.example, Some((b"1,500".to_vec(), 1.5)));
    assert!(matches!(guess(&["1.5", "2,5"]), Outcome::Text));
}

#[test]
fn a_learned_sign_is_applied_and_a_file_with_the_other_is_refused_with_its_first_cell() {
    let learned = Wanted::Numbers(Some(NumberStyle::Comma));
    let mut cells = vec!["2,5"; 40];
    cells[3] = "1.234";
    cells[7] = "1.5";
    let (outcome, remarks) = guess_as(learned, &cells).unwrap();
    let found = numbers(outcome);
    assert!((found[0], found[3], remarks.others) == (2.5, 1234.0, 1) && found[7].is_nan());
    let trouble = guess_as(learned, &["2,5", "1.234", "1.5"]).err().unwrap();
    let unlike = Trouble::OtherDecimal { style: NumberStyle::Comma, asked: false };
    assert_eq!(trouble, (unlike, (b"1.5".to_vec(), 4)));
    // Whether pieces were taken on the way does not matter.
    let mut guess = Guess::new(learned);
    for (at, cell) in ["2,5", "1.234", "1.5"].iter().enumerate() {
        guess.push(cell.as_bytes(), at as u64 + 2);
        guess.take();
    }
    assert_eq!(guess.end(Habit::default()).err().unwrap(), (unlike, (b"1.5".to_vec(), 4)));
}

#[test]
fn a_sign_between_groups_that_could_be_decimal_must_have_been_met_or_be_shown() {
    let options = |style: NumberStyle, grouped: bool| {
        let learned = NumbersWritten { style, grouped, no_sign: false };
        let written = vec![("x".to_string(), Written::Numbers(Some(learned)))];
        ReadOptions { written, ..ReadOptions::default() }
    };
    let read = |style, cells: &[&str], grouped| {
        let mut guess = Guess::of_column("x", Wanted::Numbers(Some(style)), &options(style, grouped));
        cells.iter().for_each(|cell| _ = guess.push(cell.as_bytes(), 2));
        guess.finish(Habit::default()).map(|(outcome, _)| numbers(outcome))
    };
    for (style, open, shown) in [(NumberStyle::Comma, "12.345", "0,5"), (NumberStyle::Point, "12,345", "0.5")]
    {
        assert_eq!(read(style, &[open], false), Err((Trouble::OpenDecimal(style), (open.into(), 2))));
        assert_eq!(read(style, &[open], true), Ok(vec![12_345.0]));
        assert_eq!(read(style, &[open, shown], false), Ok(vec![12_345.0, 0.5]));
        // With the learned sign as a decimal sign it is what it is.
        let decimal = if style == NumberStyle::Comma { "12,345" } else { "12.345" };
        assert_eq!(read(style, &[decimal], false), Ok(vec![12.345]));
    }
}

#[test]
fn a_number_of_a_file_with_types_is_never_open() {
    let mut guess = Guess::new(Wanted::Any);
    guess.push_typed(b"12.345", true, 2);
    guess.push(b"0,51", 3);
    let (outcome, remarks) = guess.finish(Habit::default()).ok().unwrap();
    assert!(matches!(outcome, Outcome::Numbers(NumberStyle::Comma)) && remarks.sure == Some(true));
    let mut typed = Guess::new(Wanted::Numbers(Some(NumberStyle::Comma)));
    typed.push_typed(b"12.345", true, 2);
    assert_eq!(numbers(typed.finish(Habit::default()).ok().unwrap().0), [12.345]);
}

#[test]
fn a_tie_between_styles_is_decided_by_what_separates_cells() {
    let of = |cells: [&str; 3]| {
        let mut guess = Guess::new(Wanted::Any);
        cells.iter().for_each(|cell| {
            guess.push(cell.as_bytes(), 2);
        });
        guess
    };
    let style = |cells, other: [&str; 3], semicolons| {
        let habit = Habit::of([of(other).seen()].into_iter(), semicolons);
        of(cells).finish(habit).ok().unwrap().1.style
    };
    let open = ["1,500", "2,250", "7"];
    assert_eq!((style(open, open, false), style(open, open, true)), (NumberStyle::Point, NumberStyle::Comma));
    // Thousands that look like plain numbers; the other columns go before the separator.
    let points = ["1.500", "2.250", "7"];
    assert_eq!(style(points, points, true), NumberStyle::Comma);
    assert_eq!(style(points, ["0,5", "1", "2"], false), NumberStyle::Comma);
    assert_eq!(style(points, ["0.5", "1", "2"], true), NumberStyle::Point);
    // Whoever shows a sign keeps it.
    assert_eq!(style(["1.500", "0.250", "7"], ["0,5", "1", "2"], true), NumberStyle::Point);
}

#[test]
fn a_few_odd_cells_among_numbers_are_missing() {
    let mut cells: Vec<String> = (0..19).map(|i| i.to_string()).collect();
    cells.insert(3, "abc".to_string());
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let (outcome, remarks) = guess_as(Wanted::Any, &cells).unwrap();
    assert!(numbers(outcome)[3].is_nan());
    assert_eq!((remarks.others, remarks.first_other), (1, Some((b"abc".to_vec(), 5))));
    // One less, and the share is too small.
    assert!(matches!(guess(&cells[1..]), Outcome::Text));
    let (outcome, remarks) = guess_as(Wanted::Numbers(None), &cells[1..]).unwrap();
    assert_eq!((numbers(outcome).len(), remarks.others), (19, 1));
    // The order does not matter: what was freed too early is read again.
    let late: Vec<String> = (0..20).map(|i| format!("t{i}")).chain((0..380).map(|i| i.to_string())).collect();
    let late: Vec<&str> = late.iter().map(String::as_str).collect();
    assert_eq!(guess_as(Wanted::Any, &late).unwrap().1.others, 20);
}

#[test]
fn a_known_kind_does_not_change() {
    let flags = |cells: &[&str]| guess_as(Wanted::Flags, cells).unwrap();
    let (outcome, remarks) = flags(&["1", "true", "perhaps", "0"]);
    let Outcome::Done(Values::Boolean(found)) = outcome else { panic!() };
    assert_eq!(found, [Some(true), Some(true), None, Some(false)]);
    assert_eq!(remarks.others, 1);
    let point = Wanted::Numbers(Some(NumberStyle::Point));
    let (outcome, remarks) = guess_as(point, &["x", "y", "3", "true"]).unwrap();
    assert_eq!((numbers(outcome)[2], remarks.others), (3.0, 3));
    // Nothing of that kind at all.
    assert!(matches!(guess_as(point, &["x", "y"]).unwrap().0, Outcome::Text));
    assert!(matches!(flags(&["2", "3"]).0, Outcome::Numbers(_) | Outcome::Done(Values::Numeric(_))));
}

/// Cells of one of several mixes, so that every kind and every refusal occurs.
fn some_cells(draw: &mut Stream) -> Vec<String> {
    let sorts: [&[&str]; 8] = [
        &["7", "0", "1", "-3", "007", "1e3", "12345678"],
        &["1.5", "0.25", "12.345", "-.5", "1.234.567"],
        &["1,5", "0,25", "12,345", "1.234,5", "1,234,567"],
        &["25%", "$1,500", "(3)", "1_000"],
        &["true", "False", "TRUE"],
        &["", "NA", "?", "-", "unknown", "#N/A"],
        &["red", "blue", "3 apples", "\u{e9}t\u{e9}"],
        &["inf", "1e39", "-1e999"],
    ];
    // Mostly one sort or two, and few of the others.
    let often = [draw.below(8), draw.below(6)];
    let rare = [0.0, 0.03, 0.3][draw.below(3)];
    let mut cell = |_| {
        let sort = if draw.uniform() < rare { draw.below(8) } else { often[draw.below(2)] };
        sorts[sort][draw.below(sorts[sort].len())].to_string()
    };
    (0..150).map(&mut cell).collect()
}

/// All that is decided of a column.
fn decided(seen: &KindSummary, asked: Asked, habit: Habit) -> String {
    let kind = seen.checked_kind(asked, habit);
    let known = asked.wanted != Wanted::Any;
    let remarks =
        [None, Some(NumberStyle::Point), Some(NumberStyle::Comma)].map(|style| seen.remarks(style, known));
    format!("{kind:?} {remarks:?} {:?}", KindSummary::settle(std::slice::from_ref(seen), false))
}

#[test]
fn any_partition_merged_in_any_order_tells_the_same() {
    let styles = [None, Some(NumberStyle::Point), Some(NumberStyle::Comma)];
    let mut kinds = std::collections::BTreeMap::new();
    for seed in 0..300 {
        let mut draw = Stream::new(seed, "kinds of columns");
        let cells = some_cells(&mut draw);
        let cells = &cells[..1 + draw.below(cells.len())];
        let wanted = [Wanted::Any, Wanted::Numbers(styles[draw.below(3)]), Wanted::Flags][draw.below(3)];
        let decimal = if draw.below(2) == 0 { None } else { styles[draw.below(3)] };
        let asked = Asked { wanted, decimal, groups: draw.below(2) == 0, no_sign: draw.below(2) == 0 };
        // One pass, as readers do it.
        let mut guess = Guess { asked, ..Guess::new(wanted) };
        let typed = |row: usize| row.is_multiple_of(11);
        let mut rows: Vec<usize> = (0..cells.len()).collect();
        rows.iter().for_each(|&row| _ = guess.push_typed(cells[row].as_bytes(), typed(row), row as u64));
        let habit = Habit::of([guess.seen()].into_iter(), seed % 2 == 0);
        let whole = decided(guess.seen(), asked, habit);
        *kinds.entry(whole.split(['(', ' ']).take(3).collect::<Vec<_>>().join(" ")).or_insert(0) += 1;
        for parts in [1, 2, 3, 7, cells.len()] {
            draw.shuffle(&mut rows);
            let mut cuts: Vec<usize> = (1..parts).map(|_| draw.below(rows.len() + 1)).collect();
            cuts.extend([0, rows.len()]);
            cuts.sort_unstable();
            let mut summaries: Vec<KindSummary> = cuts
                .windows(2)
                .map(|cut| {
                    let mut guess = Guess { asked, ..Guess::new(wanted) };
                    let some = &rows[cut[0]..cut[1]];
                    some.iter()
                        .for_each(|&row| _ = guess.push_typed(cells[row].as_bytes(), typed(row), row as u64));
                    guess.seen
                })
                .collect();
            draw.shuffle(&mut summaries);
            let mut merged = KindSummary::default();
            summaries.iter().for_each(|summary| merged.merge(summary));
            assert_eq!(&merged, guess.seen(), "seed {seed}, {parts} parts");
            assert_eq!(decided(&merged, asked, habit), whole, "seed {seed}, {parts} parts");
            // What is sent is what was counted.
            let sent = serde_json::to_string(&merged).unwrap();
            assert_eq!(serde_json::from_str::<KindSummary>(&sent).unwrap(), merged);
        }
    }
    assert!(kinds.len() >= 7 && kinds.values().all(|&count| count > 1), "{kinds:?}");
}

#[test]
fn what_parts_settle_is_what_their_pieces_are_read_as() {
    let columns: [&[&str]; 5] =
        [&["1.250", "2.500"], &["0,5", "7"], &["true", "-"], &["red", "1"], &["", "NA"]];
    let summary = |cells: &&[&str]| {
        let parts = cells.iter().enumerate().map(|(row, cell)| {
            let mut part = KindSummary::default();
            part.push(cell.as_bytes(), row as u64);
            part
        });
        parts.reduce(|mut all, part| {
            all.merge(&part);
            all
        })
    };
    let summaries: Vec<KindSummary> = columns.iter().filter_map(summary).collect();
    let comma = NumbersWritten { style: NumberStyle::Comma, grouped: true, no_sign: false };
    let numbers = Some(Written::Numbers(Some(comma)));
    let expected = [numbers, numbers, Some(Written::Flags), None, Some(Written::Numbers(None))];
    assert_eq!(KindSummary::settle(&summaries, false), expected);
}
