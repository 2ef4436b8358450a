//! Sums of models as few models: those of the folds, and those that look at one description.

use crate::Fitted;
use crate::fitted::Member;
use onesided_data::Description;
use onesided_trees::TreesModel;

/// The models of the folds as one: their mean is steadier than a model of all rows, and costs no training.
pub(super) fn mean_of(models: Vec<Fitted>, weight: f64) -> Vec<Member> {
    let many = models.len() as f64;
    let (mut trees, mut described, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut looked_at = None;
    for fitted in models {
        match fitted {
            Fitted::Trees(model) => trees.push(model),
            Fitted::Described { by, model } => {
                looked_at = Some(by);
                described.push(*model);
            }
            fitted => others.push(Member { weight: weight / many, fitted }),
        }
    }
    let share = weight * trees.len() as f64 / many;
    others
        .extend(TreesModel::mean(trees).map(|model| Member { weight: share, fitted: Fitted::Trees(model) }));
    // The models of a member look at one description.
    if let Some(by) = looked_at {
        let of_described = |Member { weight, fitted }| Member {
            weight,
            fitted: Fitted::Described { by, model: Box::new(fitted) },
        };
        others.extend(mean_of(described, weight).into_iter().map(of_described));
    }
    others
}

/// The same sum in which pictures are described once for all members that look at one description.
pub(super) fn described_once(members: Vec<Member>) -> Vec<Member> {
    let mut described: Vec<(Description, Vec<Member>)> = Vec::new();
    let mut gathered = Vec::new();
    for Member { weight, fitted } in members {
        match fitted {
            Fitted::Described { by, model } => {
                let member = Member { weight, fitted: *model };
                match described.iter_mut().find(|(of, _)| *of == by) {
                    Some((_, all)) => all.push(member),
                    None => described.push((by, vec![member])),
                }
            }
            fitted => gathered.push(Member { weight, fitted }),
        }
    }
    gathered.extend(described.into_iter().map(|(by, members)| {
        let model = Box::new(Fitted::Ensemble(members));
        Member { weight: 1.0, fitted: Fitted::Described { by, model } }
    }));
    gathered
}
