//! Dates as RFC 3339 writes them, for the one use that is made of them here: until when a token is good.

/// Seconds since 1970 of `2026-01-31T12:00:00Z`, fractions dropped; `None` for what is no such date or lies before 1970.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let [year, month, day] = numbers(date, '-')?;
    let at = time.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = time.split_at(at);
    let [hour, minute, second] = numbers(clock.split('.').next()?, ':')?;
    let valid = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !valid {
        return None;
    }
    let offset = match zone.strip_prefix(['+', '-']) {
        None => 0,
        Some(offset) => {
            let (hours, minutes) = offset.split_once(':')?;
            let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset * 60;
    u64::try_from(seconds).ok()
}

/// Days since 1970-01-01 in the Gregorian calendar; years begin in March, so that a leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let in_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + in_year - 719_468
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 4;
    let mut numbers = text.split(separator).map(|part| part.parse().ok().filter(|_| digits(part)));
    let found = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn dates_are_seconds() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T12:34:56Z", Some(951_827_696)),
            ("2023-11-14T22:13:20.123456Z", Some(1_700_000_000)),
            ("2023-11-14t23:13:20+01:00", Some(1_700_000_000)),
            ("2023-11-14 17:43:20-04:30", Some(1_700_000_000)),
            ("2100-03-01T00:00:00Z", Some(4_107_542_400)),
            ("1969-12-31T23:59:59Z", None),
            ("2023-13-01T00:00:00Z", None),
            ("2023-11-14T22:13:20", None),
            ("2023-11-14", None),
            ("99999-11-14T22:13:20Z", None),
            ("2023-+1-14T22:13:20Z", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
