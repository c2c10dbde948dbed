//! A calendar day, as JSON Schema's `date` format writes it.
//!
//! The shop and its demo need to read, write and count days, and nothing else of what a calendar library does.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A day of the Gregorian calendar from 0001-01-01 to 9999-12-31, written `2025-03-14`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Days since 1970-01-01.
    days: i32,
}

/// A text that is not a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a day of the calendar written as YYYY-MM-DD, for example 2025-03-14")]
pub struct NotADate;

impl Date {
    /// The day that it is now, in UTC. The first day of 1970 where the clock stands before it.
    pub fn today() -> Self {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self { days: i32::try_from(seconds / 86_400).unwrap_or(0) }
    }

    /// The day so many days later (or earlier), if the calendar reaches that far.
    pub fn plus_days(self, days: i32) -> Option<Self> {
        let later = Self { days: self.days.checked_add(days)? };
        (1..=9999).contains(&later.civil().0).then_some(later)
    }

    /// Days from `earlier` to this day; negative when it is later.
    pub fn days_since(self, earlier: Self) -> i32 {
        // Both lie within 10,000 years.
        self.days.saturating_sub(earlier.days)
    }

    /// Year, month and day (after Howard Hinnant's `civil_from_days`).
    fn civil(self) -> (i32, i32, i32) {
        let shifted = self.days.saturating_add(719_468);
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // Years begin in March here, so that the leap day is their last.
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (year_of_era + era * 400 + i32::from(month <= 2), month, day)
    }

    /// The inverse of [`Date::civil`], for four-digit years and two-digit months and days. A day that is not
    /// in the calendar comes out as one that is.
    fn from_civil(year: i32, month: i32, day: i32) -> Self {
        let year = year - i32::from(month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month = if month > 2 { month - 3 } else { month + 9 };
        let day_of_year = (153 * month + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Self { days: era * 146_097 + day_of_era - 719_468 }
    }
}

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        let mut parts = text.splitn(3, '-').map(|part| {
            let digits = part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
            part.parse::<i32>().ok().filter(|_| digits)
        });
        let (Some(Some(year)), Some(Some(month)), Some(Some(day))) =
            (parts.next(), parts.next(), parts.next())
        else {
            return Err(NotADate);
        };
        let date = Self::from_civil(year, month, day);
        // Only a day that exists, written in full, comes back as it was.
        if year > 0 && date.to_string() == text { Ok(date) } else { Err(NotADate) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
