//! Numbers that look like what their name says, within the bounds of their schema.

use serde_json::{Map, Number, Value};

use super::Look;
use super::words::lookup;

/// What things count.
const NAMES: &[(&[&str], f64)] = &[
    (&["age"], 30.0),
    (&["year"], 2025.0),
    (&["month", "page", "index", "number", "version"], 1.0),
    (&["day"], 31.0),
    (&["hour"], 12.0),
    (&["minute", "minutes", "seconds", "duration"], 30.0),
    (&["count", "total", "size", "quantity", "limit", "stock"], 3.0),
    (&["price", "amount", "cost", "sum", "bill", "balance"], 9.5),
    (&["latitude", "lat"], 48.86),
    (&["longitude", "lon", "lng"], 2.35),
    (&["temperature", "temp", "celsius"], 21.5),
    (&["percent", "percentage", "humidity"], 50.0),
    (&["probability", "confidence"], 0.5),
    (&["score", "rating"], 4.5),
    (&["port"], 8080.0),
    (&["id", "ids"], 7.0),
    (&["width"], 640.0),
    (&["height"], 480.0),
    (&["timestamp", "created", "updated"], 1_738_326_600.0),
];

/// The numbers that a `f64` counts without a gap.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whole numbers at the ends of what programs count with.
const ODD_INTEGERS: [f64; 4] = [-1.0, 0.0, 2_147_483_647.0, -2_147_483_648.0];

/// Numbers that are written in other ways than they are thought of.
const ODD_NUMBERS: [f64; 5] = [-0.5, 0.0, 0.1, 1e-7, 123_456_789.125];

/// One of the odd numbers, or what the name says.
fn wanted(name: &str, index: usize, look: Look, odd: &[f64], usual: f64) -> f64 {
    match look {
        Look::Odd => index.checked_rem(odd.len()).and_then(|turn| odd.get(turn)).copied().unwrap_or(usual),
        Look::Plain => lookup(name, NAMES).unwrap_or(usual) + step(index),
    }
}

/// A whole number.
pub(super) fn integer(name: &str, members: &Map<String, Value>, index: usize, look: Look) -> Value {
    let found = within(wanted(name, index, look, &ODD_INTEGERS, 1.0).trunc(), members, Step::Whole);
    // The bounds make the conversion exact.
    #[allow(clippy::cast_possible_truncation)]
    if found.abs() <= EXACT { Value::from(found as i64) } else { plain(found) }
}

/// Any number.
pub(super) fn number(name: &str, members: &Map<String, Value>, index: usize, look: Look) -> Value {
    plain(within(wanted(name, index, look, &ODD_NUMBERS, 1.5), members, Step::Any))
}

fn plain(number: f64) -> Value {
    Number::from_f64(number).map_or(Value::from(0), Value::Number)
}

fn step(index: usize) -> f64 {
    u32::try_from(index).map_or(0.0, f64::from)
}

/// Which numbers there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Whole,
    Any,
}

/// The number next to `wanted` that the schema accepts.
fn within(wanted: f64, members: &Map<String, Value>, step: Step) -> f64 {
    let bound = |keyword| members.get(keyword).and_then(Value::as_f64);
    let multiple = bound("multipleOf").filter(|multiple| *multiple > 0.0);
    // How far the next number from an excluded bound is.
    let gap = multiple.unwrap_or(match step {
        Step::Whole => 1.0,
        Step::Any => 0.5,
    });
    let least = [bound("minimum"), bound("exclusiveMinimum").map(|least| least + gap)];
    let most = [bound("maximum"), bound("exclusiveMaximum").map(|most| most - gap)];
    let least = least.into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
    let most = most.into_iter().flatten().fold(f64::INFINITY, f64::min);
    let round = |number: f64, up: bool| {
        let unit = multiple.or((step == Step::Whole).then_some(1.0));
        let Some(unit) = unit else { return number };
        let times = number / unit;
        unit * if up { times.ceil() } else { times.floor() }
    };
    if wanted < least {
        round(least, true)
    } else if wanted > most {
        round(most, false)
    } else {
        let down = round(wanted, false);
        if down >= least { down } else { round(wanted, true) }
    }
}
