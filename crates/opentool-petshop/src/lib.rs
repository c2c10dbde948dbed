//! A small pet shop HTTP API: the partner of the demo, the examples and the tests of opentool.
