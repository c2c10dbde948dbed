//! What users of the Python library tool2schema find again: its exact output, its lookups, settings and calls.

mod calls;
mod enums;
mod exact;
mod functions;
mod registered;
mod settings;
