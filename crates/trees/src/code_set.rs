//! Sets of categories, a bit for each code.

/// Codes as a set, a bit for each.
pub(crate) fn code_set(codes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut set: Vec<u32> = Vec::new();
    for code in codes {
        let word = code as usize / 32;
        if set.len() <= word {
            set.resize(word + 1, 0);
        }
        set[word] |= 1 << (code % 32);
    }
    set
}

/// Whether a code is in a set.
pub(crate) fn contains(set: &[u32], code: u32) -> bool {
    set.get(code as usize / 32).is_some_and(|word| word >> (code % 32) & 1 == 1)
}
