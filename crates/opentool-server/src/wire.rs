//! The bodies and the event stream of the wire, shared by both sides.
