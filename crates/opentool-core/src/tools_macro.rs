//! `tools![..]`: a set of the functions that bear `#[tool]`.

/// A [`ToolSet`](crate::ToolSet) of functions with `#[tool]`, in this order: `tools![weather, maps::route]`.
///
/// Takes paths, as `use` does. It cannot fail: two tools of one name are an error of the compiler. `tools![]`
/// is an empty set. Other tools join by [`ToolSet::insert`](crate::ToolSet::insert) and
/// [`ToolSet::merge`](crate::ToolSet::merge), the methods of a type by `ToolSet::from(value)`.
#[macro_export]
macro_rules! tools {
    ($($tool:path),* $(,)?) => {{
        const TOOLS: &[$crate::__private::Named] = &[$($crate::__private::Named::of::<$tool>()),*];
        const _: () = $crate::__private::assert_distinct(TOOLS);
        $crate::__private::set_of(TOOLS.iter().map($crate::__private::Named::tool))
    }};
    ($($other:tt)*) => {
        ::core::compile_error!(
            "`tools![..]` takes the names of functions with `#[tool]`, as in `tools![weather, maps::route]`; \
             add other tools with `ToolSet::insert(tool)`, the methods of a type with `ToolSet::from(value)`"
        )
    };
}

/// What `#[tool(register)]` expands to where there is no list to stand on.
#[cfg(not(feature = "register"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($tool:ty) => {
        ::core::compile_error!(
            "`register` needs a feature of `opentool` that is off; write `features = [\"register\"]` in Cargo.toml"
        );
    };
}
