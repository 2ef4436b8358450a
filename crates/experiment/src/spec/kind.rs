//! Which data set a name means.

/// A data set of a kind that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataKind {
    /// Handwritten digits, 28×28.
    Mnist,
    /// Handwritten digits, 16×16.
    Usps,
    /// House numbers in color, 32×32.
    Svhn,
    /// Ten kinds of things in color, 32×32.
    Cifar10,
    /// Posts of 20 newsgroups.
    Newsgroups,
    /// The built-in digits, 8×8.
    Digits,
    /// A folder of pictures.
    Images,
    /// A table.
    Table,
}

impl DataKind {
    /// Every kind.
    pub const ALL: [DataKind; 8] = [
        DataKind::Mnist,
        DataKind::Usps,
        DataKind::Svhn,
        DataKind::Cifar10,
        DataKind::Newsgroups,
        DataKind::Digits,
        DataKind::Images,
        DataKind::Table,
    ];

    /// The kind of a data set's name: the part before its first colon.
    pub fn of(name: &str) -> Result<Self, String> {
        let word = name.split(':').next().unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == word)
            .ok_or_else(|| onesided_data::unknown_name("data set", word, &Self::ALL.map(Self::name)))
    }

    /// As a spec names it.
    pub fn name(self) -> &'static str {
        match self {
            DataKind::Mnist => "mnist",
            DataKind::Usps => "usps",
            DataKind::Svhn => "svhn",
            DataKind::Cifar10 => "cifar10",
            DataKind::Newsgroups => "20ng",
            DataKind::Digits => "digits",
            DataKind::Images => "images",
            DataKind::Table => "table",
        }
    }

    /// Whether it is a set that others publish, and not built in or the user's own.
    pub fn is_published(self) -> bool {
        !matches!(self, DataKind::Digits | DataKind::Images | DataKind::Table)
    }

    /// Whether its rows are texts, which become numbers in more than one way.
    pub fn has_texts(self) -> bool {
        self == DataKind::Newsgroups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_of_a_name_is_its_kind() {
        assert_eq!(DataKind::of("table:spambase"), Ok(DataKind::Table));
        assert!(DataKind::of("20ng").unwrap().has_texts());
        let unknown = DataKind::of("20ngs").unwrap_err();
        let known = "use mnist, usps, svhn, cifar10, 20ng, digits, images or table";
        assert_eq!(unknown, format!("unknown data set '20ngs' (did you mean '20ng'?); {known}"));
    }
}
