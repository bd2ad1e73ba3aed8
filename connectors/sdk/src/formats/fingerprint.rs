//! A short number for bytes, by which a run knows what it gave before.

/// FNV-1a over bytes, going on from an earlier one, or from 0.
///
/// Cursors hold it and outlive the program, so it is the same everywhere and for ever. It does not withstand anybody who
/// wants two texts of one fingerprint.
#[must_use]
pub fn fingerprint(before: u64, bytes: &[u8]) -> u64 {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    bytes.iter().fold(before ^ START, |mark, byte| {
        (mark ^ u64::from(*byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn it_is_the_known_function() {
        assert_eq!(fingerprint(0, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(0, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_ne!(
            fingerprint(fingerprint(0, b"a"), b"b"),
            fingerprint(0, b"b")
        );
    }
}
