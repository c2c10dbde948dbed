//! Days: what is one, and how far they are apart.

use opentool_petshop::{Date, NotADate};

#[test]
fn every_day_is_read_and_written_the_same() {
    // One cycle of the calendar, after which everything repeats.
    let mut date: Date = "1970-01-01".parse().unwrap();
    for _ in 0..146_097 {
        let next = date.plus_days(1).unwrap();
        assert!(next > date && next.days_since(date) == 1);
        assert_eq!(next.to_string().parse(), Ok(next));
        date = next;
    }
    assert_eq!(date.to_string(), "2370-01-01");
}

#[test]
fn the_calendar_ends() {
    let (first, last): (Date, Date) = ("0001-01-01".parse().unwrap(), "9999-12-31".parse().unwrap());
    assert_eq!(last.days_since(first), 3_652_058);
    assert_eq!(first.plus_days(3_652_058), Some(last));
    assert_eq!((first.plus_days(-1), last.plus_days(1), last.plus_days(i32::MAX)), (None, None, None));
}

#[test]
fn leap_years_are_known() {
    let day = |text: &str| text.parse::<Date>();
    assert!(day("2024-02-29").is_ok() && day("2000-02-29").is_ok());
    assert_eq!(day("2023-02-29"), Err(NotADate));
    assert_eq!(day("1900-02-29"), Err(NotADate));
    assert_eq!(day("2024-03-01").unwrap().days_since(day("2024-02-28").unwrap()), 2);
}

#[test]
fn what_is_not_a_day_is_refused() {
    for text in [
        "",
        "2025",
        "2025-13-01",
        "2025-00-10",
        "2025-06-31",
        "2025-6-1",
        "25-06-01",
        "0000-01-01",
        "2025-06-01T00:00:00Z",
        "+025-06-01",
        "2025-06-1 ",
        "２０２５-06-01",
        "10000-01-01",
    ] {
        assert_eq!(text.parse::<Date>(), Err(NotADate), "{text:?}");
    }
}
