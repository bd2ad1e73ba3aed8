//! Verdicts such as `is_debtor`, computed over all sources that can confirm them.
//!
//! One confirming source is enough. A source that the operator switched off does not count. A
//! source in use that could not be read leaves the verdict unknown, unless another source
//! confirms it. An older list counts as read. So `false` always means that every source in use
//! was read and none confirms it.

use crate::unread::Gap;

/// Collects the answers of sources into a verdict.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    is_yes: bool,
    is_read: bool,
    is_missing: bool,
}

impl Verdict {
    /// Adds a source that was read.
    pub fn read(&mut self, is_yes: bool) {
        self.is_read = true;
        self.is_yes |= is_yes;
    }

    /// Adds a source that could not be read, with the reason.
    pub fn unread(&mut self, gap: &Gap) {
        if !gap.is_off() {
            self.undecided();
        }
    }

    /// Adds a source that was read but whose match with this company is uncertain.
    pub fn undecided(&mut self) {
        self.is_missing = true;
    }

    /// `true`: a source confirms it. `false`: all sources in use were read and none confirms it.
    /// `None`: unknown, also if all sources are off.
    #[must_use]
    pub fn get(self) -> Option<bool> {
        match self {
            Self { is_yes: true, .. } => Some(true),
            Self {
                is_missing: true, ..
            } => None,
            Self { is_read, .. } => is_read.then_some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Failure;

    #[test]
    fn false_needs_every_source_in_use() {
        let off = Gap::Off("the list".to_owned());
        let never = Gap::NeverImported("the list".to_owned());
        let down = Gap::Failed(Failure::Unavailable("down".to_owned()));
        let odd = Gap::Failed(crate::malformed("row", "a name", "7"));
        let truncated = Gap::Truncated("1 of 2 were read".to_owned());
        for (read, gaps, expected) in [
            (&[true][..], &[][..], Some(true)),
            (&[false], &[], Some(false)),
            (&[], &[], None),
            (&[false, true], &[&down], Some(true)),
            (&[false], &[&off], Some(false)),
            (&[], &[&off], None),
            (&[false], &[&never], None),
            (&[false], &[&down], None),
            (&[false], &[&odd, &off], None),
            (&[false], &[&truncated], None),
            (&[true], &[&truncated], Some(true)),
        ] {
            let mut verdict = Verdict::default();
            read.iter().for_each(|is_yes| verdict.read(*is_yes));
            gaps.iter().for_each(|gap| verdict.unread(gap));
            assert_eq!(verdict.get(), expected, "{read:?} {gaps:?}");
        }
        let mut verdict = Verdict::default();
        verdict.read(false);
        verdict.undecided();
        assert_eq!(verdict.get(), None);
    }
}
