//! A 64-bit hash by which a resumed run recognizes what earlier batches contained.

/// FNV-1a over bytes. Pass the previous hash to continue it, or 0 to start.
///
/// Cursors store the value and outlive the program, so the algorithm must never change. It is not
/// collision-resistant against an attacker.
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
