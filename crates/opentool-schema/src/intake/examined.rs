//! What became of arguments in all stages, whether they were taken or refused.

use opentool_core::{Arguments, InvalidArguments, ToolSet};
use serde_json::{Value, json};

use super::{Called, problem_code};
use crate::{Change, Decoder, Repairs, Validator};

/// What [`Validator::examine`] found out.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Examined {
    /// What was changed, in order; after a refusal, up to the point where it came.
    pub changes: Vec<Change>,
    /// The arguments that a tool would get, or why it would get none.
    pub result: Result<Arguments, InvalidArguments>,
}

impl Validator {
    /// [`Validator::take_decoded`] for people and programs that look into it: with the changes also where the
    /// arguments are refused in the end. [`Decoder::default`] decodes nothing.
    ///
    /// ```
    /// # use opentool_core::Schema;
    /// # use opentool_schema::{Decoder, Repairs, Validator};
    /// # use serde_json::json;
    /// let schema = Schema::new(json!({"properties": {"days": {"type": "integer", "maximum": 9}}}));
    /// let examined = Validator::new(&schema)?.examine(&json!("{'days': '12'}"), &Decoder::default(), Repairs::Sure);
    /// assert!(examined.result.is_err());
    /// assert_eq!(examined.changes.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn examine(&self, written: &Value, decoder: &Decoder, repairs: Repairs) -> Examined {
        let mut changes = Vec::new();
        let result = self.taken_decoded(written, decoder, repairs, None, &mut changes);
        Examined { changes, result }
    }

    /// [`Validator::examine`] for arguments of the tool `name` among `tools`, as [`crate::ToolSetExt::take`] takes them:
    /// arguments that came inside a call (`{"name": "f", "arguments": {…}}`) are taken out of it unless it is a call
    /// of another one of them. `name` is the tool's own.
    ///
    /// ```
    /// # use opentool_core::{Schema, ToolSet, tool_fn};
    /// # use opentool_schema::{Decoder, Repairs, Validator};
    /// # use serde_json::{Value, json};
    /// # let tool = |name: &'static str| tool_fn(name, "", async |_: Value| Ok::<_, std::io::Error>(()));
    /// # let tools = ToolSet::from_tools([tool("delete_user"), tool("get_user")])?;
    /// let schema = json!({"properties": {"id": {"type": "integer"}}, "required": ["id"]});
    /// let validator = Validator::new(&Schema::new(schema))?;
    /// let written = json!({"name": "get_user", "arguments": {"id": 5}});
    /// let examine = |name| validator.examine_as(name, &tools, &written, &Decoder::default(), Repairs::Sure);
    /// assert!(examine("get_user").result.is_ok());
    /// assert!(examine("delete_user").result.is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn examine_as(
        &self,
        name: &str,
        tools: &ToolSet,
        written: &Value,
        decoder: &Decoder,
        repairs: Repairs,
    ) -> Examined {
        let mut changes = Vec::new();
        let called = Some(Called { name, tools });
        let result = self.taken_decoded(written, decoder, repairs, called, &mut changes);
        Examined { changes, result }
    }
}

/// `{value, changes, errors: [{code, pointer, message}]}`; the value is `null` where there are errors.
impl From<&Examined> for Value {
    fn from(examined: &Examined) -> Self {
        let problems =
            examined.result.as_ref().err().map(|error| error.problems.as_slice()).unwrap_or_default();
        let errors = problems.iter().map(|problem| {
            json!({"code": problem_code(problem), "pointer": problem.pointer, "message": problem.to_string()})
        });
        json!({
            "value": examined.result.as_ref().ok().map(|arguments| &**arguments),
            "changes": examined.changes.iter().map(Value::from).collect::<Vec<_>>(),
            "errors": errors.collect::<Vec<_>>(),
        })
    }
}
