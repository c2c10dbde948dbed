//! The event-stream decoder: the same events for every way of cutting the bytes.

use opentool_text::event_stream::{Decoder, Event, EventTooLarge, frame};

type Decoded = (Vec<Event>, Option<EventTooLarge>, Option<Event>);

fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>, limit: usize) -> Decoded {
    let mut decoder = Decoder::new(limit);
    let mut events = Vec::new();
    let mut broken = None;
    for piece in pieces {
        broken = decoder.decode(piece, &mut events).err();
    }
    (events, broken, decoder.finish())
}

/// A generator that gives the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }
}

#[test]
fn every_split_gives_the_same_events() {
    const PIECES: [&[u8]; 20] = [
        b"event:data",
        b"data:",
        b"data: {\"n\":1}",
        b"data",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\r\r",
        b"\r\n\r\n",
        b":",
        b"id:1",
        b" ",
        b"\xef\xbb\xbf",
        b"\xc3\xa4",
        b"\xc3",
        b"\xff",
        b"event: ",
        b"xxxxxxxxxxxx",
        b"",
    ];
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut some, mut large) = (0, 0);
    for _ in 0..4_000 {
        let bytes: Vec<u8> =
            (0..random.below(40)).flat_map(|_| PIECES[random.below(PIECES.len())].to_vec()).collect();
        let limit = [20, 40, 1_000][random.below(3)];
        let whole = decode([bytes.as_slice()], limit);
        some += usize::from(!whole.0.is_empty());
        large += usize::from(whole.1.is_some());
        assert_eq!(decode(bytes.chunks(1), limit), whole, "byte by byte: {bytes:?}");
        for _ in 0..4 {
            let mut rest = bytes.as_slice();
            let mut cut = Vec::new();
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(random.below(rest.len() + 1));
                cut.push(piece);
                rest = after;
            }
            assert_eq!(decode(cut.iter().copied(), limit), whole, "{cut:?}");
        }
    }
    assert!(some > 1_000 && large > 200, "the inputs hold events ({some}) and large ones ({large})");
}

#[test]
fn what_is_written_is_read_again() {
    for data in
        ["", "x", " x", "a\nb", "\n", "\n\n", "a\n\n b", "{\"a\":\"\\n\"}", "\u{feff}", ": no remark", "ä"]
    {
        for name in ["data", "start"] {
            let (events, broken, rest) = decode([frame(name, data).as_bytes()], 100);
            assert_eq!(events, [Event { name: name.to_owned(), data: data.to_owned() }], "{data:?}");
            assert_eq!((broken, rest), (None, None));
        }
    }
}

#[test]
fn an_event_larger_than_the_limit_is_an_error_after_those_before() {
    let fine = frame("data", "x");
    for large in [
        "data:xxxxxxxxxxxxxxxxxxxx\n\n",
        "data:xxxxxxxx\ndata:xxxxxxxx\ndata:xxx\n\n",
        ":xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ] {
        let (events, broken, rest) = decode([fine.as_bytes(), large.as_bytes(), fine.as_bytes()], 20);
        assert_eq!(events.len(), 1, "{large}");
        assert_eq!((broken, rest), (Some(EventTooLarge { limit: 20 }), None), "{large}");
    }
    // Many small ones are no large one.
    let many = fine.repeat(1_000) + &"\n".repeat(1_000) + &": x\n".repeat(1_000);
    assert_eq!(decode([many.as_bytes()], 20).0.len(), 1_000);
}
