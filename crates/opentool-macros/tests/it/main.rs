//! What the compiler says to users of the macros. What the macros make is tested through the facade.

mod compile_fail;
