//! What there is to know of a rule about columns; each stands beside its constants.

/// A rule about columns.
#[derive(Debug)]
#[non_exhaustive]
pub struct ColumnRule {
    /// What it is called.
    pub name: &'static str,
    /// What it finds, and what is done then.
    pub finds: &'static str,
    /// What decides, by the names of the code.
    pub constants: &'static [(&'static str, f64)],
    /// Where it was chosen and measured.
    pub evidence: &'static str,
}
