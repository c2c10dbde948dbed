//! The schema of an argument and the type behind it accept the same values.
//!
//! One line per type. Each line sends a fixed collection of JSON values, and some for the type alone, through
//! the validator and, without it, through the tool itself: both must say the same. `accepts` are values that
//! both must take, so that a line cannot pass by refusing everything.
//!
//! Where serde is more lenient than any schema should be, the value is left out, with the reason, by `fair`.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroI16, NonZeroU8, NonZeroU64, Wrapping};
use std::ops::{Bound, Range, RangeInclusive};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentool::schema::{RepairPolicy, Repairs};
use opentool::{Tool, ToolCall, ToolContext, ToolSetExt, tool, tools};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Values that many types take or refuse for different reasons.
fn common() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.0),
        json!(1.5),
        json!(-0.5),
        json!(127),
        json!(128),
        json!(-129),
        json!(255),
        json!(256),
        json!(-32769),
        json!(32768),
        json!(65535),
        json!(65536),
        json!(i32::MAX),
        json!(i64::from(i32::MAX) + 1),
        json!(i64::from(i32::MIN) - 1),
        json!(u32::MAX),
        json!(u64::from(u32::MAX) + 1),
        json!(1e18),
        json!(-0.0),
        json!(""),
        json!("a"),
        json!("é"),
        json!("ab"),
        json!("1"),
        json!("2026-02-28"),
        json!("2026-02-30"),
        json!("127.0.0.1"),
        json!("::1"),
        json!([]),
        json!([1]),
        json!([1, 2]),
        json!([1.0, 2.0]),
        json!([1, "a"]),
        json!(["a", "b"]),
        json!([1, 2, 3]),
        json!([[1, 2], [3, 4]]),
        json!([null]),
        json!({}),
        json!({"a": 1}),
        json!({"a": "x"}),
        json!({"a": 1.0}),
        json!({"Unit": 1}),
        json!({"a": null}),
        json!({"a": 1, "b": "x"}),
        json!({"a": 1, "b": "x", "zzz": true}),
        json!({"kind": "one"}),
        json!({"kind": "two", "n": 1}),
        json!({"kind": "other"}),
        json!({"start": 1, "end": 2}),
        json!({"secs": 1, "nanos": 5}),
    ]
}

/// Checks one type: every value is taken by both or refused by both.
fn agree(tool: impl Tool, fair: fn(&Value) -> bool, accepts: &Value) {
    let mut set = tools![];
    set.insert(tool).unwrap();
    let name = set.names().next().unwrap().to_owned();
    // What coercion could make of a value is not the question.
    let strict = RepairPolicy::new(Repairs::Off);
    let says = |value: &Value| {
        let call = ToolCall::new("1", &*name, json!({"value": value}));
        let by_schema = set.take(&call, &strict);
        let arguments = call.arguments.as_object().unwrap().clone().into();
        let by_type = crate::run(set.get(&name).unwrap().call(&ToolContext::new(), arguments));
        (by_schema.map(|_| ()), by_type.map(|_| ()))
    };
    for value in accepts.as_array().unwrap() {
        let (by_schema, by_type) = says(value);
        assert!(by_schema.is_ok(), "{name}: the schema refuses {value}: {by_schema:?}");
        assert!(by_type.is_ok(), "{name}: the type refuses {value}: {by_type:?}");
    }
    for value in common().iter().filter(|value| fair(value)) {
        let (by_schema, by_type) = says(value);
        assert_eq!(by_schema.is_ok(), by_type.is_ok(), "{name}: {value}: {by_schema:?}, {by_type:?}");
    }
    // Absent: allowed by both or by none.
    let call = ToolCall::new("1", &*name, json!({}));
    let by_type = crate::run(set.get(&name).unwrap().call(&ToolContext::new(), Default::default()));
    assert_eq!(set.take(&call, &strict).is_ok(), by_type.is_ok(), "{name}: absent");
}

fn all(_: &Value) -> bool {
    true
}

/// serde reads a struct from a list of its fields too; no model writes that.
fn no_lists(value: &Value) -> bool {
    !value.is_array()
}

macro_rules! types_agree {
    ($($name:ident: $type:ty, $fair:ident, $accepted:tt;)*) => {$(
        #[test]
        fn $name() {
            /// Takes one value.
            #[tool]
            #[allow(clippy::boxed_local)]
            fn probe(value: $type) {
                let _ = value;
            }
            agree(probe {}, $fair, &json!($accepted));
        }
    )*};
}

types_agree! {
    boolean: bool, all, [true];
    int8: i8, all, [i8::MIN, i8::MAX, 1.0];
    int16: i16, all, [i16::MIN, i16::MAX];
    int32: i32, all, [i32::MIN, i32::MAX, -1.0];
    int64: i64, all, [i64::MIN, i64::MAX, 1e18];
    int128: i128, all, [i64::MIN, u64::MAX];
    int_size: isize, all, [-1];
    uint8: u8, all, [0, u8::MAX];
    uint16: u16, all, [u16::MAX];
    uint32: u32, all, [u32::MAX];
    uint64: u64, all, [u64::MAX, 1e19];
    uint128: u128, all, [u64::MAX];
    uint_size: usize, all, [7];
    nonzero_u8: NonZeroU8, all, [1, 255];
    nonzero_u64: NonZeroU64, all, [1];
    nonzero_i16: NonZeroI16, all, [-1];
    wrapping: Wrapping<u8>, all, [255];
    float32: f32, all, [1, 0.5];
    float64: f64, all, [1, -0.5, 1e300];
    character: char, all, ["é", "a"];
    string: String, all, ["", "text"];
    boxed_str: Box<str>, all, ["text"];
    shared_str: Arc<str>, all, ["text"];
    cow: Cow<'static, str>, all, ["text"];
    path: PathBuf, all, ["/etc"];
    any: Value, all, [null, {"a": [1]}];
    json_map: serde_json::Map<String, Value>, all, [{"a": [1]}];
    json_number: serde_json::Number, all, [1, 0.5];
    unit: (), all, [null];
    option: Option<u8>, all, [null, 3];
    option_of_option: Option<Option<String>>, all, [null, "x"];
    boxed: Box<u16>, all, [3];
    counted: Rc<u16>, all, [3];
    shared_option: Arc<Option<u16>>, all, [null, 3];
    cell: Cell<i32>, all, [3];
    ref_cell: RefCell<String>, all, ["x"];
    mutex: Mutex<Vec<u8>>, all, [[1, 2]];
    vector: Vec<u8>, all, [[], [1, 255]];
    vector_of_options: Vec<Option<String>>, all, [[null, "a"]];
    deque: VecDeque<String>, all, [["a"]];
    linked: LinkedList<bool>, all, [[true]];
    heap: BinaryHeap<i8>, all, [[1, 2]];
    boxed_slice: Box<[u8]>, all, [[1]];
    hash_set: HashSet<u8>, all, [[1, 2]];
    tree_set: BTreeSet<String>, all, [["a", "b"]];
    array: [u8; 2], all, [[1, 2]];
    empty_array: [u8; 0], all, [[]];
    nested_array: [[u8; 2]; 2], all, [[[1, 2], [3, 4]]];
    pair: (u8, String), all, [[1, "a"]];
    triple: (u8, u8, u8), all, [[1, 2, 3]];
    hash_map: HashMap<String, u8>, all, [{"a": 1, "b": 2}];
    tree_map: BTreeMap<String, Option<String>>, all, [{"a": null}];
    map_by_number: BTreeMap<u8, bool>, all, [{"1": true}];
    map_by_enum: HashMap<Plain, u8>, all, [{"one": 1}];
    duration: Duration, no_lists, [{"secs": 1, "nanos": 5}];
    range: Range<u8>, no_lists, [{"start": 1, "end": 2}];
    range_inclusive: RangeInclusive<i64>, no_lists, [{"start": 1, "end": 2}];
    bound: Bound<u8>, all, ["Unbounded", {"Included": 1}];
    result: Result<u8, String>, all, [{"Ok": 1}, {"Err": "x"}];
    ipv4: Ipv4Addr, all, ["127.0.0.1"];
    ipv6: Ipv6Addr, all, ["::1"];
    date: chrono::NaiveDate, all, ["2026-02-28"];
    date_time: chrono::DateTime<chrono::Utc>, all, ["2026-02-28T12:00:00Z"];

    unit_struct: Nothing, all, [null];
    newtype: Meters, all, [0.5];
    tuple_struct: Point, all, [[1, 2]];
    plain_struct: Record, no_lists, [{"a": 1, "b": "x"}, {"a": 1, "b": "x", "zzz": true}];
    optional_fields: Optionals, no_lists, [{}, {"a": null}, {"a": 1, "b": "x"}];
    defaults: Defaults, no_lists, [{}, {"a": 3}];
    defaults_of_struct: AllDefaults, no_lists, [{}, {"b": "x"}];
    renamed: Renamed, no_lists, [{"fullName": "x", "kind": "one"}];
    aliased: Aliased, no_lists, [{"a": 1}];
    skipped: Skipped, no_lists, [{"a": 1}, {"a": 1, "b": 2}];
    strict: Strict, no_lists, [{"a": 1}];
    flattened: Flattened, all, [{"a": 1, "b": "x", "c": 2}];
    flattened_map: Rest, all, [{"a": 1, "b": 2}];
    flattened_tag: FlatTag, all, [{"a": 1, "kind": "two", "n": 1}];
    transparent: Transparent, all, [[1]];
    nested: Nested, no_lists, [{"records": [{"a": 1, "b": "x"}]}];
    recursive: List, no_lists, [{"a": 1, "next": {"a": 2}}];
    mutual: Branch, all, [{"leaves": [{"branch": null}]}];
    generic: Page<Plain>, no_lists, [{"items": ["one"]}];
    with_module: WithModule, no_lists, [{"a": "1"}];

    plain_enum: Plain, all, ["one", "two"];
    documented_enum: Documented, all, ["Small"];
    renamed_enum: Shouting, all, ["FIRST_CLASS"];
    external_enum: External, no_lists, ["Unit", {"New": 1}, {"Tuple": [1, 2]}, {"Struct": {"a": 1}}];
    internal_enum: Internal, all, [{"kind": "one"}, {"kind": "two", "n": 1}];
    adjacent_enum: Adjacent, all, [{"kind": "one"}, {"kind": "two", "value": [1, "a"]}];
    untagged_enum: Untagged, no_lists, [1, "x", {"a": 1}];
    other_variant: WithOther, all, ["Known", "anything"];
}

#[derive(Deserialize, JsonSchema)]
struct Nothing;

#[derive(Deserialize, JsonSchema)]
struct Meters(#[expect(dead_code)] f64);

#[derive(Deserialize, JsonSchema)]
struct Point(#[expect(dead_code)] i32, #[expect(dead_code)] i32);

macro_rules! structs {
    ($($(#[$attr:meta])* $name:ident $(<$p:ident>)? { $($(#[$fattr:meta])* $field:ident: $type:ty),* $(,)? })*) => {$(
        #[derive(Deserialize, JsonSchema)]
        #[allow(dead_code)]
        $(#[$attr])*
        struct $name $(<$p>)? { $($(#[$fattr])* $field: $type),* }
    )*};
}

structs! {
    Record { a: u8, b: String }
    Optionals { a: Option<u8>, b: Option<String> }
    Defaults { #[serde(default = "seven")] a: u8 }
    #[serde(rename_all = "camelCase")]
    Renamed { full_name: String, #[serde(rename = "kind")] sort: Plain }
    Skipped { a: u8, #[serde(skip)] b: u8 }
    #[serde(deny_unknown_fields)]
    Strict { a: u8 }
    Flattened { c: u8, #[serde(flatten)] record: Record }
    Rest { a: u8, #[serde(flatten)] rest: BTreeMap<String, u8> }
    FlatTag { a: u8, #[serde(flatten)] tag: Internal }
    #[serde(transparent)]
    Transparent { items: Vec<u8> }
    Nested { records: Vec<Record>, one: Option<Box<Record>> }
    List { a: u8, next: Option<Box<List>> }
    Branch { leaves: Vec<Leaf> }
    Leaf { branch: Option<Branch> }
    Page<T> { items: Vec<T>, next: Option<String> }
    WithModule { #[serde(with = "as_text")] #[schemars(with = "String")] a: String }
    Aliased { #[serde(alias = "old")] a: u8 }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
#[allow(dead_code)]
struct AllDefaults {
    a: u8,
    b: String,
}

fn seven() -> u8 {
    7
}

mod as_text {
    use serde::Deserialize as _;

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        String::deserialize(from)
    }
}

#[derive(PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    One,
    Two,
}

#[derive(Deserialize, JsonSchema)]
enum Documented {
    /// Up to one.
    Small,
    /// More.
    Large,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Shouting {
    FirstClass,
    #[serde(skip)]
    #[expect(dead_code)]
    Hidden,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
enum External {
    Unit,
    New(u8),
    Tuple(u8, u8),
    Struct { a: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[allow(dead_code)]
enum Internal {
    One,
    Two { n: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "lowercase")]
#[allow(dead_code)]
enum Adjacent {
    One,
    Two(u8, String),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Untagged {
    Number(u8),
    Text(String),
    Object { a: u8 },
}

#[derive(Deserialize, JsonSchema)]
enum WithOther {
    Known,
    #[serde(untagged)]
    Other(#[expect(dead_code)] String),
}

#[test]
fn an_address_of_either_kind_is_checked_by_the_type() {
    /// Takes one value.
    #[tool]
    fn probe(value: IpAddr) -> String {
        value.to_string()
    }
    let tools = tools![probe];
    for address in ["127.0.0.1", "::1"] {
        assert_eq!(crate::call(&tools, "probe", json!({"value": address})).unwrap().to_text(), address);
    }
    // JSON Schema has no format for "IPv4 or IPv6": the schema lets the text pass, the error is as clear.
    let error = crate::call(&tools, "probe", json!({"value": "nowhere"})).unwrap_err();
    assert!(error.for_model().contains("/value"), "{}", error.for_model());
}

#[test]
fn a_number_beyond_64_bits_is_refused_by_the_type() {
    /// Takes one value.
    #[tool]
    fn probe(value: u64) -> u64 {
        value
    }
    let error = crate::call(&tools![probe], "probe", json!({"value": 1e20})).unwrap_err();
    assert_eq!(error.code(), "invalid_arguments");
    assert!(error.for_model().contains("/value"), "{}", error.for_model());
}
