//! A real Redis on a free port of this machine, without any file.
//!
//! `redis-server` must be in the path, or named by `OPENTOOL_TEST_REDIS`. Without one the test is skipped and says so,
//! unless `OPENTOOL_TEST_PEERS=required`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

pub(super) struct Server {
    process: Child,
    pub(super) url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a server and waits until it listens.
pub(super) fn start() -> Option<Server> {
    let program = std::env::var_os("OPENTOOL_TEST_REDIS").unwrap_or_else(|| "redis-server".into());
    // The port is free now; a few tries are for the case that somebody takes it.
    for _ in 0..5 {
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        let started = Command::new(&program)
            .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .stdout(Stdio::piped())
            .spawn();
        let mut process = match started {
            Ok(process) => process,
            Err(error) => {
                let required = std::env::var("OPENTOOL_TEST_PEERS").is_ok_and(|value| value == "required");
                assert!(!required, "no redis-server: {error}");
                eprintln!(
                    "skipped: no redis-server ({error}); install it, or name it in OPENTOOL_TEST_REDIS"
                );
                return None;
            }
        };
        let output = BufReader::new(process.stdout.take().unwrap());
        if output.lines().map_while(Result::ok).any(|line| line.contains("Ready to accept connections")) {
            return Some(Server { process, url: format!("redis://127.0.0.1:{port}/") });
        }
        let _ = process.kill();
        let _ = process.wait();
    }
    panic!("redis-server does not start");
}
