//! The one HTTP client of opentool: TLS, timeouts, limits.
