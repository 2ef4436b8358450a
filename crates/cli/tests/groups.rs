//! Rows that come in groups, end to end.

use crate::folder::Folder;

/// Groups of forty rows. `mark` is nearly the same in all rows of a group, and half of the groups are positive: who has met a row of a
/// group knows the others. `x` says a little of the class of any row.
fn table(groups: std::ops::Range<u32>) -> String {
    let mut text = "y,truth,who,mark,x\n".to_string();
    for group in groups {
        let (mark, positive) = ((group * 7919) % 1009, (group * 104_729) % 997 < 498);
        for row in 0..40u32 {
            let noise = f64::from((group * 613 + row * 7907) % 1000) / 250.0 - 2.0;
            let (y, truth) = (u32::from(positive && row < 20), u32::from(positive));
            text += &format!("{y},{truth},w{group},{mark},{:.4}\n", noise + 0.5 * f64::from(truth));
        }
    }
    text
}

const FIT: &str =
    "fit -v t.csv --label y --drop truth --prior 0.5 --effort quick --threads 1 --out m.onesided";

#[test]
fn what_is_measured_is_of_new_groups() {
    let folder = Folder::new("groups");
    folder.write("t.csv", table(0..60));
    folder.write("new.csv", table(60..160));
    let auc = |flags: &str| {
        let fitted = folder.json(&format!("{FIT} {flags}"));
        let found = folder.json("evaluate m.onesided new.csv --truth truth");
        let own = fitted["metrics"]["auc"]["value"].as_f64().or_else(|| fitted["metrics"]["auc"].as_f64());
        (own.unwrap(), found["auc"].as_f64().unwrap())
    };
    let (own, new) = auc("--drop who");
    assert!(own > new + 0.1, "rows of one group on both sides: {own}, {new}");
    let (own, new) = auc("--group who");
    assert!((own - new).abs() < 0.1, "{own}, {new}");
}

#[test]
fn groups_are_counted_and_what_is_set_aside_counts_groups() {
    let folder = Folder::new("groups-aside");
    folder.write("t.csv", table(0..120));
    let said = folder.run(&format!("{FIT} --group who --reserve 0.3"));
    assert!(said.stderr.contains("in 120 groups"), "{}", said.stderr);
    let fitted = folder.json(&format!("{FIT} --group who --reserve 0.3"));
    let reserved = fitted["reserved"].as_u64().unwrap();
    // Of about 60 groups with twenty labeled rows each, not more than groups count.
    assert!((10..=60).contains(&reserved), "{reserved}");
    assert_eq!(folder.run("predict m.onesided t.csv --out s.csv").code, 0);
}

#[test]
fn groups_that_are_none() {
    let folder = Folder::new("no-groups");
    folder.write("t.csv", table(0..3));
    let message = folder.refused(&format!("{} --group who", FIT.replace("--prior 0.5", "--prior 0.9")));
    assert!(message.contains("groups, and whole groups are held out in turn: at least 5"), "{message}");
    let message = folder.refused(&format!("{FIT} --group nowhere"));
    assert!(message.contains("there is no column 'nowhere'"), "{message}");
    let message = folder.refused(&format!("{FIT} --group y"));
    assert!(message.contains("column 'y' cannot be both the label and the group"), "{message}");
}
