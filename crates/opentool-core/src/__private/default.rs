//! Which literals may stand as the default of which types: `"Paris"` for a `String`, `5` for an `Option<u8>`.

use std::borrow::Cow;
use std::path::PathBuf;

/// A value that can be written as the default of an argument of type `T`.
#[diagnostic::on_unimplemented(
    message = "a default of type `{Self}` does not fit an argument of type `{T}`; write an expression of type `{T}`",
    label = "this default does not fit the argument",
    note = "`#[arg(default)]` alone means `Default::default()`"
)]
pub trait DefaultFor<T> {
    /// The default.
    fn into_default(self) -> T;
}

/// The default as a value of the argument's type.
pub fn default_for<T, D: DefaultFor<T>>(default: D) -> T {
    default.into_default()
}

#[diagnostic::do_not_recommend]
impl<T> DefaultFor<T> for T {
    fn into_default(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T> DefaultFor<Option<T>> for T {
    fn into_default(self) -> Option<T> {
        Some(self)
    }
}

macro_rules! default_via_from {
    ($($literal:ty => $($target:ty),+;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl DefaultFor<$target> for $literal {
            fn into_default(self) -> $target {
                self.into()
            }
        }

        #[diagnostic::do_not_recommend]
        impl DefaultFor<Option<$target>> for $literal {
            fn into_default(self) -> Option<$target> {
                Some(self.into())
            }
        }
    )+)*};
}

default_via_from! {
    &'static str => String, Box<str>, Cow<'static, str>, std::sync::Arc<str>, PathBuf, serde_json::Value;
    i32 => f64;
    i16 => f32;
}
