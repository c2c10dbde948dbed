//! The tool side: any tool set behind the five endpoints of the protocol.
