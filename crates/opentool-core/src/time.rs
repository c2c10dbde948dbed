//! Times as people write them: `250 ms`, `1.5 s`, `30 s`, `5 min`. Texts for models and operators hold these, and not the
//! nanoseconds that a clock counts.

use std::time::Duration;

/// A time in the unit that suits it, with as many digits as anybody needs: whole milliseconds below a second, tenths of
/// seconds below two minutes, then tenths of minutes, and of hours from two hours on.
///
/// ```
/// # use std::time::Duration;
/// use opentool_core::in_units;
///
/// assert_eq!(in_units(Duration::from_micros(29_999_871)), "30 s");
/// assert_eq!(in_units(Duration::from_millis(1_500)), "1.5 s");
/// assert_eq!(in_units(Duration::from_nanos(249_800_300)), "250 ms");
/// ```
pub fn in_units(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let milliseconds = (seconds * 1_000.0).round();
    if time.is_zero() {
        "0 s".to_owned()
    } else if milliseconds < 1.0 {
        "less than 1 ms".to_owned()
    } else if milliseconds < 1_000.0 {
        format!("{milliseconds} ms")
    } else if seconds < 119.95 {
        format!("{} s", tenths(seconds))
    } else if seconds < 7_197.0 {
        format!("{} min", tenths(seconds / 60.0))
    } else {
        format!("{} h", tenths(seconds / 3_600.0))
    }
}

/// Rounded; `1.0` is written as `1`.
fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::in_units;

    #[test]
    fn each_time_has_its_unit() {
        for (nanoseconds, text) in [
            (0, "0 s"),
            (1, "less than 1 ms"),
            (499_999, "less than 1 ms"),
            (500_000, "1 ms"),
            (249_800_300, "250 ms"),
            (999_400_000, "999 ms"),
            (999_600_000, "1 s"),
            (1_500_000_000, "1.5 s"),
            (29_999_871_000, "30 s"),
            (90_000_000_000, "90 s"),
            (119_960_000_000, "2 min"),
            (150_000_000_000, "2.5 min"),
            (3_600_000_000_000, "60 min"),
            (7_199_000_000_000, "2 h"),
            (u64::MAX, "5124095.6 h"),
        ] {
            assert_eq!(in_units(Duration::from_nanos(nanoseconds)), text, "{nanoseconds}");
        }
    }
}
