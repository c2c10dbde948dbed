//! Secrets of a request are taken out of its answer, however they are written, and however large the answer is.

use std::time::{Duration, Instant};

use opentool_http::scrub::{self, Reach};
use secrecy::SecretString;

fn clean(body: &str, secrets: &[&str]) -> String {
    let secrets: Vec<SecretString> = secrets.iter().map(|secret| SecretString::from(*secret)).collect();
    String::from_utf8(scrub::body(body.as_bytes(), &secrets).into_owned()).unwrap()
}

#[test]
fn a_secret_is_found_in_every_form() {
    for (body, expected) in [
        ("a s3cr3t/key b", "a *** b"),
        ("a s3cr3t%2Fkey b", "a *** b"),
        ("a %733cr3t%2fkey b", "a *** b"),
        ("a s3cr3t&#47;key b", "a *** b"),
        ("a s3cr3t&#x2f;key b", "a *** b"),
        (r"a s3cr3t\/key b", "a *** b"),
        (r"a s3cr3t\u002fkey b", "a *** b"),
        ("s3cr3t/keys3cr3t/key", "******"),
        ("100%s3cr3t/key", "100%***"),
        ("s3cr3t/s3cr3t/key", "s3cr3t/***"),
        ("s3cr3t/ke", "s3cr3t/ke"),
        (
            r#"{"a": "s3cr3t\/key", "b":[1,-2.5e7,  "é\ud83d\ude00"]}"#,
            r#"{"a": "***", "b":[1,-2.5e7,  "é\ud83d\ude00"]}"#,
        ),
        (r"a \\u00733cr3t\/key b", r"a \*** b"),
        (r#"["\"s3cr3t/key\""]"#, r#"["\"***\""]"#),
        (r#"{"s3cr3t/key":12345678}"#, r#"{"***":12345678}"#),
    ] {
        assert_eq!(clean(body, &["s3cr3t/key"]), expected, "{body}");
    }
    assert_eq!(clean(r#"{"pin":12345678,"x":123456789}"#, &["12345678"]), r#"{"pin":"***","x":123456789}"#);
    // A blank in a form is a plus, and who reads a plus as a blank repeats it so.
    assert_eq!(clean("correct+horse correct%20horse correct horse", &["correct horse"]), "*** *** ***");
    assert_eq!(clean("ab cd/ef== ab%2Bcd/ef%3D%3D", &["ab+cd/ef=="]), "*** ***");
    assert_eq!(
        clean(r"p\u00e4ssw\u00f6rt p%C3%A4ssw%C3%B6rt p&#228;ssw&#246;rt", &["pässwört"]),
        "*** *** ***"
    );
    assert_eq!(clean(r"x\ud83d\ude00secret", &["😀secret"]), "x***");
    // Written as JSON, and that in an address or a page.
    for body in [
        r#"a "hunter2\"sec\\ret" b"#,
        r#"a "hunter2"sec\ret" b"#,
        r#"a "hunter2%5C%22sec%5C%5Cret" b"#,
        r#"a "hunter2%22sec%5Cret" b"#,
        r#"a "hunter2\&quot;sec\\ret" b"#,
    ] {
        assert_eq!(clean(body, &[r#"hunter2"sec\ret"#]), r#"a "***" b"#, "{body}");
    }
}

#[test]
fn secrets_that_overlap_leave_nothing_of_each_other() {
    assert_eq!(clean("abcdefghij", &["abcdef", "defghij"]), "***");
    assert_eq!(clean("abcabcabcabc.", &["abcabcabc"]), "***.");
    let message = scrub::text("aXb", &["X".into(), "".into()], Reach::Message);
    assert_eq!(message, "a***b");
}

#[test]
fn bytes_that_are_no_text_keep_their_places() {
    let body = scrub::body(b"\xff\x00s3cr3t/key\xff", &["s3cr3t/key".into()]).into_owned();
    assert_eq!(body, b"\xff\x00**********\xff");
}

/// The law: whatever way of writing is chosen for each character, nothing of the secret is left, and all around it is.
#[test]
fn whatever_is_escaped_the_text_around_a_secret_stays() {
    let secret = "aab+aaa\"c/ü&d";
    let mut seed = 1_u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for form in 0..4 {
        for _ in 0..200 {
            let written: String = secret
                .chars()
                .map(|c| match (form, draw(2)) {
                    (1, 1) => c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
                    (2, 1) => format!("\\u{:04x}", u32::from(c)),
                    (3, 1) => format!("&#{};", u32::from(c)),
                    _ => c.to_string(),
                })
                .collect();
            let before = "a".repeat(usize::try_from(draw(9)).unwrap());
            assert_eq!(
                clean(&format!("{before}{written}.aab"), &[secret]),
                format!("{before}***.aab"),
                "{written}"
            );
        }
    }
}

/// No limit of a service's answer may be a limit of how long the host is busy. What grows with the square of the answer
/// takes hours here, so the time is no matter of the machine.
#[test]
fn the_work_grows_with_the_answer_alone() {
    let entry = r#"{"id":17,"name":"item \"17\"","tags":["a","b"],"price":-1.5e3},"#;
    let json = format!("[{}1]", entry.repeat(150_000));
    let same = "a".repeat(4_000_000);
    let long = format!("{}b", "a".repeat(60_000));
    let escaped = "%61".repeat(1_000_000);
    let begun = Instant::now();
    assert_eq!(clean(&json, &["tok-1234567890", "17171717"]).len(), json.len());
    assert_eq!(clean(&same, &[&long]).len(), same.len());
    assert_eq!(clean(&escaped, &[&long]).len(), escaped.len());
    assert_eq!(clean(&same, &[&"a".repeat(60_000)]), "***");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
