//! The server against real and odd clients.
