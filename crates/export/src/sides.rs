//! Which categories can come to a split of a tree, and where they go.
//!
//! A category that a split above sends elsewhere cannot come, so no set has to name it. Where a column has thousands of levels and each
//! node parts them anew, sets of all levels would make a file thirty times as large.

use onesided_trees::{Node, Tree};
use std::collections::HashMap;
use std::rc::Rc;

/// The codes that can come to a split of categories, ascending. The code behind the last level is no category, or one that was not seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sides {
    /// Those that go left.
    pub left: Rc<Vec<u32>>,
    /// Those that go right.
    pub right: Rc<Vec<u32>>,
}

/// The sides of each node, which are empty but for splits of categories; `levels` says how many a column has.
pub fn sides(tree: &Tree, levels: impl Fn(u32) -> u32) -> Vec<Sides> {
    let mut all = vec![Sides::default(); tree.nodes.len()];
    let mut open = vec![(0usize, HashMap::<u32, Rc<Vec<u32>>>::new())];
    while let Some((at, come)) = open.pop() {
        match tree.nodes[at] {
            Node::Leaf { .. } => {}
            Node::Split { left, right, .. } => {
                open.push((left as usize, come.clone()));
                open.push((right as usize, come));
            }
            Node::Categories { feature, set, missing_left, left, right } => {
                let none = levels(feature);
                let set = &tree.sets[set as usize];
                let goes_left = |code: &u32| match set.get(*code as usize / 32) {
                    _ if *code == none => missing_left,
                    Some(word) => word >> (code % 32) & 1 == 1,
                    None => false,
                };
                let here = come.get(&feature).map_or_else(|| (0..=none).collect(), |codes| codes.to_vec());
                let (to_left, to_right) = here.into_iter().partition(goes_left);
                let parted = Sides { left: Rc::new(to_left), right: Rc::new(to_right) };
                let with = |codes: &Rc<Vec<u32>>| {
                    let mut come = come.clone();
                    come.insert(feature, Rc::clone(codes));
                    come
                };
                open.push((left as usize, with(&parted.left)));
                open.push((right as usize, with(&parted.right)));
                all[at] = parted;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_elsewhere_cannot_come() {
        // 0 to 3 and none: {0, 2} left; there {0, 1} left and none with it; on the right a number, and then {3} left.
        let leaf = Node::Leaf { value: 0.0 };
        let split =
            |set, missing_left, left, right| Node::Categories { feature: 0, set, missing_left, left, right };
        let number = Node::Split { feature: 1, threshold: 0.0, missing_left: true, left: 5, right: 6 };
        let nodes = vec![
            split(0, false, 1, 2),
            split(1, true, 3, 4),
            number,
            leaf,
            leaf,
            split(2, false, 7, 8),
            leaf,
            leaf,
            leaf,
        ];
        let tree = Tree { nodes, sets: vec![vec![0b101], vec![0b11], vec![0b1000]], cover: Vec::new() };
        let found = sides(&tree, |_| 4);
        let told = |at: usize| (found[at].left.to_vec(), found[at].right.to_vec());
        assert_eq!(told(0), (vec![0, 2], vec![1, 3, 4]));
        assert_eq!(told(1), (vec![0], vec![2]));
        assert_eq!(told(5), (vec![3], vec![1, 4]));
        assert!([2, 3, 4, 6, 7, 8].iter().all(|&at| found[at] == Sides::default()));
    }
}
