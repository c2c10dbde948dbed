//! The agent side: calls an OpenTool server, and makes its functions tools of this program.
