//! Names in a namespace, which no provider refuses for their length.
//!
//! `namespace__name` where that fits, and else its beginning with a fingerprint of the whole. Which characters a name
//! has is not looked at: that is a matter of each exit.

/// The longest name that every provider takes, in characters.
const LONGEST: usize = 64;

/// The name in the namespace; one that is not `taken`.
pub(crate) fn name_in(namespace: &str, name: &str, taken: impl Fn(&str) -> bool) -> String {
    let whole = format!("{namespace}__{name}");
    if whole.chars().count() <= LONGEST {
        return whole;
    }
    let mut short = cut(&whole, &fingerprint(&whole));
    // Fingerprints can be made equal by whoever gives the names.
    let mut round = 0_u32;
    while taken(&short) {
        round = round.saturating_add(1);
        short = cut(&whole, &fingerprint(&format!("{whole} {round}")));
    }
    short
}

fn cut(name: &str, fingerprint: &str) -> String {
    let start: String =
        name.chars().take(LONGEST.saturating_sub(fingerprint.len()).saturating_sub(1)).collect();
    format!("{start}_{fingerprint}")
}

/// Eight hexadecimal digits that depend on the text alone (FNV-1a), on every machine and in every version.
fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}
