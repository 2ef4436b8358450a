//! What a student learns from a teacher, against `golden/make_lesson.py`.

use onesided_loss::Lesson;

const CASES: &str = include_str!("golden/lesson.txt");

fn numbers(line: &str) -> Vec<f64> {
    line.split(' ').skip(1).map(|word| word.parse().unwrap()).collect()
}

fn scores(line: &str) -> Vec<f32> {
    numbers(line).into_iter().map(|x| x as f32).collect()
}

#[test]
fn shifts_targets_and_slopes_agree_with_pytorch() {
    let lines: Vec<&str> = CASES.lines().collect();
    assert_eq!(lines.len(), 27);
    for case in lines.chunks(9) {
        let [share, confidence, weight] = numbers(case[0])[..] else { panic!("three numbers of a setting") };
        let (first, second, positive, unlabeled) =
            (scores(case[1]), scores(case[2]), scores(case[3]), scores(case[4]));
        let mut lesson = Lesson::new(share, confidence);
        for (batch, want) in [first, second].iter().zip(numbers(case[5])) {
            lesson.take(batch.as_slice().into());
            let shift = lesson.shift().unwrap();
            assert!((shift - want).abs() < 1e-4, "share {share}: shift {shift} against {want}");
        }
        let (mut of_p, mut of_u) = (vec![9.0; positive.len()], vec![9.0; unlabeled.len()]);
        let loss = lesson.evaluate(
            positive.as_slice().into(),
            unlabeled.as_slice().into(),
            weight,
            &mut of_p,
            &mut of_u,
        );
        let want = numbers(case[6])[0];
        assert!((loss - want).abs() < 1e-9 * want.abs(), "share {share}: {loss} against {want}");
        for (have, want) in [(of_p, case[7]), (of_u, case[8])] {
            for (have, want) in have.iter().zip(numbers(want)) {
                assert!((f64::from(*have) - want).abs() < 1e-7, "share {share}: {have} against {want}");
            }
        }
    }
}
