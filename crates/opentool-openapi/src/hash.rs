//! A short, stable fingerprint of a text, for names that would otherwise clash.
//!
//! Not for security: someone who writes a document can make two fingerprints equal, and gains a name with a number.

/// Eight hexadecimal digits that depend on the text alone (FNV-1a), on every machine and in every version.
pub(crate) fn short_hash(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    // Both halves, so that short texts differ in every digit.
    format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}
