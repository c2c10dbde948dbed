//! The client against real and odd servers.
