//! Event streams: the same events for every way of cutting the bytes, and those that the standard says.
//!
//! Both bodies of the wire are read from the same bytes too: they need no shape of their own.

use opentool_server::wire::request::Request;
use opentool_server::wire::response::Reply;
use opentool_text::event_stream::{Decoder, Event, frame};

/// The limit for one event; small, so that it is met.
const LIMIT: usize = 512;

pub(crate) fn run(input: &[u8]) {
    let whole = read(&[input]);
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(read(&bytes), whole, "byte by byte");
    // The bytes themselves say where they are cut.
    let mut rest = input;
    let mut pieces = Vec::new();
    while let Some(first) = rest.first() {
        let (piece, after) = rest.split_at((usize::from(*first) % 7).min(rest.len()));
        pieces.push(piece);
        rest = if piece.is_empty() {
            pieces.push(&rest[..1]);
            &rest[1..]
        } else {
            after
        };
    }
    assert_eq!(read(&pieces), whole, "in pieces");
    if whole.too_large {
        assert!(input.len() > LIMIT, "{} bytes are too large", input.len());
    } else {
        assert_eq!((whole.events, whole.left), by_the_standard(input));
    }
    if let Ok(text) = std::str::from_utf8(input) {
        written(text);
    }
    bodies(input);
}

#[derive(Debug, PartialEq)]
struct Read {
    events: Vec<Event>,
    left: Option<Event>,
    too_large: bool,
}

fn read(pieces: &[&[u8]]) -> Read {
    let mut decoder = Decoder::new(LIMIT);
    let mut events = Vec::new();
    let mut too_large = false;
    for piece in pieces {
        too_large |= decoder.decode(piece, &mut events).is_err();
    }
    Read { events, left: decoder.finish(), too_large }
}

/// The standard, as plainly as it can be said, with the event that was not completed beside.
fn by_the_standard(input: &[u8]) -> (Vec<Event>, Option<Event>) {
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    // Line ends are ASCII, so that replacing what is not UTF-8 moves none of them.
    let text = String::from_utf8_lossy(input).replace("\r\n", "\n").replace('\r', "\n");
    let (mut events, mut name, mut data) = (Vec::new(), String::new(), Vec::new());
    let ended = text.ends_with('\n');
    let mut lines: Vec<&str> = text.split('\n').collect();
    if ended {
        lines.pop();
    }
    let end = |name: &mut String, data: &mut Vec<String>| {
        let name = std::mem::take(name);
        let data = std::mem::take(data);
        (!data.is_empty()).then(|| Event {
            name: if name.is_empty() { "message".to_owned() } else { name },
            data: data.join("\n"),
        })
    };
    // The last line of a text that does not end one is a line only if there is something in it.
    if !ended && lines.last() == Some(&"") {
        lines.pop();
    }
    for line in lines {
        if line.is_empty() {
            events.extend(end(&mut name, &mut data));
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut name),
            "data" => data.push(value.to_owned()),
            _ => {}
        }
    }
    let left = end(&mut name, &mut data);
    (events, left)
}

/// What is written is read as one event with the same text, in which every line end is a newline.
fn written(text: &str) {
    let mut decoder = Decoder::new(text.len() * 2 + 16);
    let mut events = Vec::new();
    let sent = frame("data", text);
    decoder.decode(sent.as_bytes(), &mut events).expect("the limit is not met");
    let data = text.replace("\r\n", "\n").replace('\r', "\n");
    assert_eq!(events, [Event { name: "data".to_owned(), data }], "{sent:?}");
}

fn bodies(input: &[u8]) {
    match Request::read(input) {
        Ok(request) => assert!(request.params.is_none_or(|params| params.starts_with('{'))),
        Err(unreadable) => assert!(unreadable.error.code < 0 && unreadable.error.message.len() < 1_000),
    }
    if let Ok(text) = std::str::from_utf8(input) {
        let _ = Reply::read(text);
    }
}
