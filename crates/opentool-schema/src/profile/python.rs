//! JSON as Python's `json.dump` writes it: in one line, `", "` and `": "` between, nothing but ASCII.
//!
//! For files that are compared byte by byte with those of a Python program. Floats are written as Python's `repr` does.

use std::io::{self, Write};

use serde_json::Value;

/// Writes the value.
pub(super) fn write(out: &mut impl Write, value: &Value) -> io::Result<()> {
    match value {
        Value::String(text) => string(out, text),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => out.write_all(repr(float).as_bytes()),
            None => write!(out, "{number}"),
        },
        Value::Array(items) => {
            out.write_all(b"[")?;
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.write_all(b", ")?;
                }
                write(out, item)?;
            }
            out.write_all(b"]")
        }
        Value::Object(members) => {
            out.write_all(b"{")?;
            for (position, (name, member)) in members.iter().enumerate() {
                if position > 0 {
                    out.write_all(b", ")?;
                }
                string(out, name)?;
                out.write_all(b": ")?;
                write(out, member)?;
            }
            out.write_all(b"}")
        }
        simple => write!(out, "{simple}"),
    }
}

fn string(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    for c in text.chars() {
        match c {
            '"' => out.write_all(b"\\\"")?,
            '\\' => out.write_all(b"\\\\")?,
            '\n' => out.write_all(b"\\n")?,
            '\r' => out.write_all(b"\\r")?,
            '\t' => out.write_all(b"\\t")?,
            '\u{8}' => out.write_all(b"\\b")?,
            '\u{c}' => out.write_all(b"\\f")?,
            ' '..='~' => write!(out, "{c}")?,
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
        }
    }
    out.write_all(b"\"")
}

/// The shortest digits that read back as the number, with an exponent below 1e-4 and from 1e16 on.
fn repr(float: f64) -> String {
    let scientific = format!("{float:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(-4..=15) => format!("{float:?}"),
        Ok(exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        Err(_) => scientific,
    }
}

#[cfg(test)]
mod tests {
    use super::repr;

    #[test]
    fn floats_look_as_in_python() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (123_456.789, "123456.789"),
        ];
        for (float, expected) in cases {
            assert_eq!(repr(float), expected);
        }
    }
}
