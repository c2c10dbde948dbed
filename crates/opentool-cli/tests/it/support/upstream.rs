//! Servers that behave badly, on a bare socket: what no well-made framework lets one do.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server that gives every request the same treatment. It ends with the test process.
pub(crate) struct Upstream {
    /// Its address: `http://127.0.0.1:PORT`.
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Upstream {
    /// Hands every connection to `treat`, once its request has been read.
    pub(crate) fn treating(treat: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        Self::reading(move |_, stream| treat(stream))
    }

    /// Hands every connection to `treat`, with the request.
    pub(crate) fn reading(treat: impl Fn(&str, TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (treat, log) = (Arc::new(treat), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (treat, log) = (Arc::clone(&treat), Arc::clone(&log));
                std::thread::spawn(move || {
                    if let Some(request) = read_request(&stream) {
                        log.lock().unwrap().push(request.clone());
                        treat(&request, stream);
                    }
                });
            }
        });
        Self { url, seen }
    }

    /// Answers every request with this status line and body.
    pub(crate) fn answering(status: &str, content_type: &str, body: &str) -> Self {
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\nconnection: close\r\n");
        let answer = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        Self::treating(move |mut stream| stream.write_all(answer.as_bytes()).unwrap())
    }

    /// Takes every request and never answers.
    pub(crate) fn silent() -> Self {
        Self::treating(|mut stream| {
            // Until the client has had enough.
            let _ = stream.read(&mut [0; 1]);
        })
    }

    /// The heads of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// Head and body of one request; `None` if the client went away.
fn read_request(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut request, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        request.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.push_str(&String::from_utf8_lossy(&body));
    Some(request)
}

/// A document with one operation, `get`, of this path and these parameters (as JSON), at this server.
pub(crate) fn get_document(server: &str, path: &str, parameters: &str) -> String {
    format!(
        r#"{{"openapi": "3.0.3", "info": {{"title": "t", "version": "1"}}, "servers": [{{"url": "{server}"}}],
 "paths": {{"{path}": {{"get": {{"operationId": "get", "summary": "Gets it.", "parameters": {parameters},
  "responses": {{"200": {{"description": "ok", "content": {{"application/json": {{}}}}}}}}}}}}}}}}"#
    )
}
