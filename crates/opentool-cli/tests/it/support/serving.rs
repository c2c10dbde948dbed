//! A server of the binary over HTTP, and raw requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command};

use serde_json::Value;

use super::Run;

/// A server over HTTP that is told to end when the test does.
pub(crate) struct Serving {
    child: Child,
    said: Value,
    stderr: Option<std::thread::JoinHandle<String>>,
    _run: Run,
}

impl Serving {
    /// Starts it with `--json`, whose first line says where it is.
    pub(crate) fn start(run: Run) -> Self {
        let mut child = run.start();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mut errors = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).unwrap();
            text
        });
        match serde_json::from_str(&line) {
            Ok(said) => Self { child, said, stderr: Some(stderr), _run: run },
            Err(error) => panic!("{error}: {line:?}\n{}", stderr.join().unwrap()),
        }
    }

    /// The first line: where it is.
    pub(crate) fn said(&self) -> &Value {
        &self.said
    }

    /// The address of the OpenTool server.
    pub(crate) fn opentool(&self) -> String {
        self.said["opentool"].as_str().unwrap().to_owned()
    }

    /// Host and path of the MCP server.
    pub(crate) fn mcp(&self) -> (String, String) {
        split(self.said["url"].as_str().unwrap())
    }

    /// Asks it to end; the exit code, and what it wrote to standard error.
    pub(crate) fn terminate(self) -> (Option<i32>, String) {
        self.ask_to_end();
        self.ended()
    }

    /// Asks it to end.
    pub(crate) fn ask_to_end(&self) {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(asked.success());
    }

    /// Waits for its end.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        (code, self.stderr.take().unwrap().join().unwrap())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Where a test failed half-way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Host and path of an address.
pub(crate) fn split(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    (host.to_owned(), format!("/{path}"))
}

/// Sends a request, whose head may hold further lines, and leaves the connection open.
pub(crate) fn send(host: &str, method: &str, path: &str, head: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n{head}\r\n{body}"
    )
    .unwrap();
    stream
}
