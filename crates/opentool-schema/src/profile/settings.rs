//! The settings of a profile. Each may be unsaid, so that those of one tool can lie over those of all.

use super::SchemaType;

/// Whether something is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ignore {
    /// It is left out.
    Yes,
    /// It is shown: for one tool, where it is left out of all.
    No,
}

/// How the values of an enum are shown to a model and written by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EnumStyle {
    /// As serde writes them: `"one-way"`, `1`.
    Values,
    /// By the names of the variants: `"OneWay"`. For enums with `#[enum_names]`, and for schemas with `x-enum-varnames`;
    /// other enums are shown by value.
    Names,
}

/// What models are shown of a tool. Without settings: everything, enums by value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    pub(super) ignored: Option<Vec<String>>,
    pub(super) all_parameters: Option<Ignore>,
    pub(super) description: Option<Ignore>,
    pub(super) parameter_descriptions: Option<Ignore>,
    pub(super) enums: Option<EnumStyle>,
    pub(super) schema_type: Option<SchemaType>,
}

impl Settings {
    /// Nothing said.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out the parameters of these names. A list for one tool stands in the place of the list for all, and is
    /// not added to it.
    pub fn ignore_parameters<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.ignored = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Leaves out all parameters.
    pub fn ignore_all_parameters(mut self, ignore: Ignore) -> Self {
        self.all_parameters = Some(ignore);
        self
    }

    /// Leaves out what the tool does.
    pub fn ignore_description(mut self, ignore: Ignore) -> Self {
        self.description = Some(ignore);
        self
    }

    /// Leaves out what the parameters mean.
    pub fn ignore_parameter_descriptions(mut self, ignore: Ignore) -> Self {
        self.parameter_descriptions = Some(ignore);
        self
    }

    /// How enums are shown. Not said: by value, and by name in [`Profile::tool2schema`](super::Profile::tool2schema).
    pub fn enums(mut self, style: EnumStyle) -> Self {
        self.enums = Some(style);
        self
    }

    /// The form that [`Profile::tool2schema`](super::Profile::tool2schema) gives when its caller asks for none. Not
    /// said: [`SchemaType::OpenAiApi`].
    pub fn schema_type(mut self, schema_type: SchemaType) -> Self {
        self.schema_type = Some(schema_type);
        self
    }

    /// These settings, and where they say nothing, the others.
    pub(super) fn over(&self, others: &Self) -> Self {
        Self {
            ignored: self.ignored.clone().or_else(|| others.ignored.clone()),
            all_parameters: self.all_parameters.or(others.all_parameters),
            description: self.description.or(others.description),
            parameter_descriptions: self.parameter_descriptions.or(others.parameter_descriptions),
            enums: self.enums.or(others.enums),
            schema_type: self.schema_type.or(others.schema_type),
        }
    }
}
