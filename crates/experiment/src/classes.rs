//! Which classes of a data set are positive, which negative, and which are left out.

use crate::ExperimentError;
use crate::spec::DataSpec;

/// Which classes are positive (true), which negative (false), and which are left out.
pub(crate) struct Classes(Vec<Option<bool>>);

impl Classes {
    pub fn new(spec: &DataSpec, classes: &[&str]) -> Result<Self, ExperimentError> {
        let is = |asked: &str, class: &str| match asked.strip_suffix('*') {
            Some(start) => class.starts_with(start),
            None => class == asked,
        };
        let refuse = |detail: String| Err(ExperimentError::Spec { file: spec.name.clone(), detail });
        let negative = spec.negative.iter().flatten();
        if let Some(unknown) =
            spec.positive.iter().chain(negative).find(|asked| !classes.iter().any(|class| is(asked, class)))
        {
            return refuse(format!("it has no class '{unknown}'; its classes are {}", classes.join(", ")));
        }
        let among = |list: &[String], class: &str| list.iter().any(|asked| is(asked, class));
        let mut kinds = Vec::with_capacity(classes.len());
        for class in classes {
            let positive = among(&spec.positive, class);
            let negative = spec.negative.as_ref().map_or(!positive, |list| among(list, class));
            if positive && negative {
                return refuse(format!("its class '{class}' is both positive and negative"));
            }
            kinds.push((positive || negative).then_some(positive));
        }
        if ![true, false].iter().all(|&kind| kinds.contains(&Some(kind))) {
            return refuse("some of its classes must be positive, and some not".into());
        }
        Ok(Self(kinds))
    }

    /// Positive or not, of the rows that are not left out.
    pub fn of(&self, labels: &[u8]) -> Vec<bool> {
        labels.iter().filter_map(|&label| self.0[usize::from(label)]).collect()
    }

    /// The rows that are not left out; none if that is all of them.
    pub fn kept(&self, labels: &[u8]) -> Option<Vec<usize>> {
        let kept = |label: u8| self.0[usize::from(label)].is_some();
        if labels.iter().all(|&label| kept(label)) {
            return None;
        }
        Some((0..labels.len()).filter(|&row| kept(labels[row])).collect())
    }

    /// The values of the rows that are not left out, `wide` a row.
    pub fn keep<T: Clone>(&self, values: Vec<T>, wide: usize, labels: &[u8]) -> Vec<T> {
        match self.kept(labels) {
            None => values,
            Some(rows) => rows.iter().flat_map(|&row| &values[row * wide..][..wide]).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(positive: &[&str], negative: Option<&[&str]>) -> DataSpec {
        let owned = |list: &[&str]| list.iter().map(|name| name.to_string()).collect();
        DataSpec::new("pets", owned(positive), negative.map(owned))
    }

    const KNOWN: [&str; 4] = ["cat", "dog", "car", "cart"];

    #[test]
    fn classes_that_are_neither_are_left_out() {
        let classes = Classes::new(&spec(&["dog"], Some(&["cat"])), &KNOWN).unwrap();
        let labels = [2, 1, 0, 3, 1];
        assert_eq!(classes.of(&labels), [true, false, true]);
        assert_eq!(classes.kept(&labels), Some(vec![1, 2, 4]));
        assert_eq!(
            classes.keep(vec![0, 1, 10, 11, 20, 21, 30, 31, 40, 41], 2, &labels),
            [10, 11, 20, 21, 40, 41]
        );
        let all = Classes::new(&spec(&["ca*"], None), &KNOWN).unwrap();
        assert_eq!((all.of(&labels), all.kept(&labels)), (vec![true, false, true, true, false], None));
    }

    #[test]
    fn what_classes_cannot_be_is_named() {
        let message = |positive: &[&str], negative: Option<&[&str]>| {
            Classes::new(&spec(positive, negative), &KNOWN).err().unwrap().to_string()
        };
        assert!(
            message(&["dog"], Some(&["cats"])).contains("it has no class 'cats'; its classes are cat, dog")
        );
        assert!(
            message(&["car*"], Some(&["cart"])).contains("its class 'cart' is both positive and negative")
        );
        assert!(message(&["dog"], Some(&[])).contains("some of its classes must be positive, and some not"));
    }
}
