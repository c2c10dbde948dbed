//! The Model Context Protocol for opentool: a server for any tool set.
