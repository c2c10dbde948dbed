//! The tool-calling loop of opentool: agent, chat models.
