use super::*;

fn target(fdr: f64, odds: f64) -> NegativesTarget {
    NegativesTarget::new(fdr).unwrap().with_labeling(LabelingOdds::new(odds).unwrap())
}

/// 99 reserved positives at 1 to 99, and rows at these scores.
fn certified(rows: &[f32], fdr: f64, odds: f64) -> CertifiedCut {
    let reserved: Vec<f32> = (1..100).map(|score| score as f32).collect();
    target(fdr, odds).certify(&RankCounts::of(&reserved, rows).unwrap())
}

#[test]
fn a_list_by_hand() {
    // 60 rows below all, 20 with one below them, 20 above the middle. K = 50, M = (1 + 20)(1 + 50/49) = 42.43.
    let rows = [vec![0.5; 60], vec![1.5; 20], vec![80.5; 20]].concat();
    let cut = certified(&rows, 0.05, 1.0);
    assert!((cut.positives_at_most - 21.0 * 99.0 / 49.0).abs() < 1e-12, "{cut:?}");
    // .02 · 42.43 = .849 is at most .05 · 80, and with .01 · 42.43 = .424 of .01 · 60 only the first are certified.
    assert_eq!((cut.certified, cut.rank, cut.looked_at, cut.below_all), (80, Some(1), 100, 60));
    assert_eq!(certified(&rows, 0.01, 1.0).certified, 60);
    assert!(cut.holds(0) && cut.holds(1) && !cut.holds(2));
    assert!((cut.p_value(1) - 0.02).abs() < 1e-15);
    // At Γ the condition of rank 1 is 2Γ / (2Γ + 98) · 21 (1 + Γ 50/49) ≤ 4; the root of 2142 Γ² + 1899 ... by its own evaluation.
    let condition = |odds: f64| 2.0 * odds / (2.0 * odds + 98.0) * 21.0 * (1.0 + odds * 50.0 / 49.0);
    let most = cut.holds_up_to_labeling_odds.unwrap();
    assert!(condition(most) <= 4.0 && condition(most * 1.0002) > 4.0, "{most}");
    assert_eq!(certified(&rows, 0.05, most).certified, 80);
    assert_eq!(certified(&rows, 0.05, most * 1.001).certified, 60);
}

#[test]
fn ties_count_against_a_row() {
    // A row at the score of a reserved positive has it below.
    assert_eq!([0.9, 1.0, 1.1].map(|score| rank_among(&[1.0, 1.0, 2.0], score)), [0, 2, 2]);
    let tied = [vec![1.0; 60], vec![80.5; 20]].concat();
    assert_eq!(certified(&tied, 0.01, 1.0).certified, 0);
    assert_eq!(certified(&tied, 0.05, 1.0).rank, Some(1));
}

#[test]
fn too_few_positives_say_how_many_it_takes() {
    // 1,000 rows, all of which may be positive: .05 · 10 / 1000 = 1/2000 takes ℓ = 1999, and 19 for a list of all rows.
    let at = target(0.05, 1.0);
    assert_eq!((at.needed(10, 1000.0), at.needed(1000, 1000.0)), (1999, 19));
    // Γ / (Γ + ℓ) ≤ 1/20 takes ℓ ≥ 19 Γ.
    assert_eq!(target(0.05, 2.0).needed(1000, 1000.0), 38);
    assert_eq!(at.needed(1000, 10.0), 3);
    for reserved in [0, 1, 2] {
        let mut counts = RankCounts::new(reserved);
        (0..50).for_each(|_| counts.add(0));
        let cut = at.certify(&counts);
        assert_eq!((cut.certified, cut.rank, cut.holds_up_to_labeling_odds), (0, None, None));
        assert_eq!((cut.needed, cut.positives_at_most), (Some(19), 50.0));
    }
    let mut counts = RankCounts::new(30);
    (0..50).for_each(|_| counts.add(7));
    assert_eq!(at.certify(&counts).needed, None, "no row is below all of them");
    assert_eq!(at.certify(&RankCounts::new(30)).certified, 0, "no rows");
}

#[test]
fn one_split_by_e_values_is_the_split() {
    let rows = [vec![0.5; 60], vec![1.5; 20], vec![4.5; 3], vec![80.5; 20]].concat();
    let reserved: Vec<f32> = (1..100).map(|score| score as f32).collect();
    for (fdr, odds) in [(0.05, 1.0), (0.01, 1.0), (0.05, 1.5), (0.001, 1.0)] {
        let cut = certified(&rows, fdr, odds);
        let means: Vec<f64> = rows.iter().map(|&score| cut.e_value(rank_among(&reserved, score))).collect();
        let list = target(fdr, odds).by_e_values(&means);
        assert_eq!(list.rows, (0..cut.certified).collect::<Vec<_>>(), "{fdr} {odds}");
    }
    // Two of four rows with a mean of 20, one of 9: 4 / (.1 · 2) = 20.
    let list = target(0.1, 1.0).by_e_values(&[20.0, 0.0, 20.0, 9.0]);
    assert_eq!((list.rows, list.least), (vec![0, 2], Some(20.0)));
    assert_eq!(target(0.1, 1.0).by_e_values(&[19.0, 0.0, 20.0, 9.0]).rows, Vec::<usize>::new());
    assert_eq!(target(0.1, 1.0).by_e_values(&[]).rows, Vec::<usize>::new());
}

/// By `tests/golden/negatives.py`, which goes through all rows and all cuts one by one.
#[test]
fn lists_are_those_of_another_program() {
    let golden = include_str!("../../tests/golden/negatives.txt");
    let mut seen = 0;
    for case in golden.split("\n\n").filter(|case| !case.trim().is_empty()) {
        let lines: Vec<&str> = case.lines().collect();
        let numbers = |at: usize| -> Vec<f64> {
            lines[at].split_whitespace().map(|word| word.parse().unwrap()).collect()
        };
        let narrow = |at: usize| numbers(at).into_iter().map(|x| x as f32).collect::<Vec<f32>>();
        let [fdr, odds, certified, positives, e_value] = numbers(0)[..] else { panic!("{}", lines[0]) };
        let counts = RankCounts::of(&narrow(1), &narrow(2)).unwrap();
        let cut = target(fdr, odds).certify(&counts);
        assert_eq!(cut.certified, certified as usize, "{}", lines[0]);
        assert!((cut.estimate - positives).abs() <= 1e-9 * positives, "{} {}", cut.estimate, lines[0]);
        let own = cut.rank.map_or(0.0, |rank| cut.e_value(rank));
        assert!((own - e_value).abs() <= 1e-9 * e_value, "{own} {}", lines[0]);
        seen += 1;
    }
    assert_eq!(seen, 48);
}

#[test]
fn the_mean_share_of_positives_is_at_most_alpha() {
    // Scores of positives are uniform, of others the fifth power of one: 400 sets of 200 rows for each share.
    let mut stream = onesided_data::Stream::new(5, "certified");
    for (share, odds) in [(0.05, 1.0), (0.3, 1.0), (0.7, 1.0), (0.3, 2.0)] {
        let at = target(0.1, odds);
        let (mut sum, mut squares, mut found) = (0.0, 0.0, 0);
        for _ in 0..400 {
            // Labels that favor the upper half by Γ: labeled ones are there Γ times as often as hidden ones, in odds.
            let mut labeled = || {
                let upper = stream.uniform() < odds / (1.0 + odds);
                (f64::from(u8::from(upper)) + stream.uniform()) as f32 / 2.0
            };
            let reserved: Vec<f32> = (0..99).map(|_| labeled()).collect();
            let positives = (share * 200.0) as usize;
            let rows: Vec<f32> = (0..200)
                .map(|row| {
                    let score = stream.uniform();
                    if row < positives { score as f32 } else { score.powi(5) as f32 }
                })
                .collect();
            let cut = at.certify(&RankCounts::of(&reserved, &rows).unwrap());
            let mut sorted = reserved;
            sorted.sort_unstable_by(f32::total_cmp);
            let wrong = rows[..positives].iter().filter(|&&row| cut.holds(rank_among(&sorted, row))).count();
            let proportion = wrong as f64 / cut.certified.max(1) as f64;
            sum += proportion;
            squares += proportion * proportion;
            found += cut.certified;
        }
        let mean = sum / 400.0;
        let error = ((squares / 400.0 - mean * mean) / 400.0).sqrt();
        assert!(mean <= 0.1 + 2.0 * error, "{mean} ± {error} at {share}, {odds}");
        assert!(found > 400 * 5 || share > 0.5 || odds > 1.0, "{found} at {share}");
    }
}

#[test]
fn what_is_no_share_is_refused() {
    for wrong in [0.0, 1.0, -0.1, 5.0, f64::NAN] {
        let said = NegativesTarget::new(wrong).unwrap_err().to_string();
        assert!(
            said.starts_with("the share of positives in the list (fdr) must lie strictly between 0 and 1"),
            "{said}"
        );
    }
    assert!(RankCounts::of(&[], &[1.0]).is_err() && RankCounts::of(&[1.0], &[f32::NAN]).is_err());
}
