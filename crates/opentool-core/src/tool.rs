//! The one trait of a callable thing, closures as tools, and layers around tools.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Arguments, BoxError, Origin, Schema, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolReturn,
};

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A call that was begun by [`Tool::call_straight`]: a function that does not wait is at its end already.
#[doc(hidden)]
pub enum Started<'a> {
    /// It ended; its answer is in the place that was given for it.
    Ended,
    /// It has to be polled.
    Running(BoxFuture<'a, Result<ToolOutput, ToolError>>),
}

/// One callable thing: what the model is told about it, and how to run it.
///
/// Implement it by hand only where `#[tool]` and [`tool_fn`] do not reach: for tools that are known at run
/// time only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool: put `#[tool]` on the function and write its name, `tools![my_function]`",
    label = "this is not a tool",
    note = "for the methods of a type: `#[tool] impl {Self} {{ .. }}` and `ToolSet::from(value)`"
)]
pub trait Tool: Send + Sync + 'static {
    /// What the model is told. Must not change between calls.
    fn definition(&self) -> &ToolDefinition;

    /// Runs one call. `arguments` already passed the input schema.
    ///
    /// # Errors
    /// Whatever went wrong, by kind; the model reads [`ToolError::for_model`].
    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;

    /// A shortcut for the checked call: the call straight from what the model wrote as arguments, an object or the
    /// text of one, where the tool can tell that it passes its input schema as it stands and that no number in it
    /// would be rounded. `None`, as here, means that nothing was done. The answer of a function that does not wait is
    /// put where it is wanted, and not passed on from hand to hand, which takes longer than a small function.
    #[doc(hidden)]
    fn call_straight<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &Value,
        _answer: &mut Option<Result<ToolOutput, ToolError>>,
    ) -> Option<Started<'a>> {
        None
    }
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn definition(&self) -> &ToolDefinition {
        (**self).definition()
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (**self).call(cx, arguments)
    }

    fn call_straight<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &Value,
        answer: &mut Option<Result<ToolOutput, ToolError>>,
    ) -> Option<Started<'a>> {
        (**self).call_straight(cx, arguments, answer)
    }
}

/// Something that wraps a tool in another tool: a limit, a cache, a trace.
pub trait Layer {
    /// The wrapped tool. Its name is that of the inner one unless the layer is there to change it.
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool>;
}

impl<F: Fn(Arc<dyn Tool>) -> Arc<dyn Tool>> Layer for F {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        self(inner)
    }
}

/// A closure as a tool: its argument type gives the input schema, its result the output schema. An argument of
/// type `()` means that there are none.
///
/// ```
/// # use opentool_core::{tool_fn, Tool};
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Add { a: i64, b: i64 }
///
/// let add = tool_fn("add", "Adds two numbers.", async |add: Add| {
///     add.a.checked_add(add.b).ok_or("the sum is too large")
/// });
/// assert_eq!(add.definition().name, "add");
/// ```
pub fn tool_fn<A, T, E, F, Fut>(name: impl Into<String>, description: impl Into<String>, run: F) -> impl Tool
where
    A: DeserializeOwned + JsonSchema,
    T: ToolReturn,
    E: Into<BoxError>,
    F: Fn(A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
{
    let mut definition = ToolDefinition::new(name, description)
        .input_schema(Schema::input_of::<A>())
        .origin(Origin::new("rust").item(std::any::type_name::<F>()));
    definition.output_schema = T::output_schema();
    FnTool {
        definition,
        run: move |arguments: Arguments| -> BoxFuture<'static, Result<ToolOutput, ToolError>> {
            // A unit stands for "no arguments", and reads from `null`.
            let unit = std::mem::size_of::<A>() == 0 && arguments.is_empty();
            let parsed = match arguments.parse::<A>() {
                Err(error) if unit => A::deserialize(Value::Null).map_err(|_| error),
                parsed => parsed,
            };
            match parsed {
                Ok(arguments) => {
                    let running = run(arguments);
                    Box::pin(async move { running.await.map_err(ToolError::from_author)?.into_output() })
                }
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        },
    }
}

struct FnTool<F> {
    definition: ToolDefinition,
    run: F,
}

impl<F> Tool for FnTool<F>
where
    F: Fn(Arguments) -> BoxFuture<'static, Result<ToolOutput, ToolError>> + Send + Sync + 'static,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (self.run)(arguments)
    }
}
