//! `lariat lsp`: a language server for formulas, nets and programs, on stdin and stdout.
//!
//! The main thread handles one message at a time, in order; threads of `lsp-server` read and write.
//! A model is read by a supervised thread under [`READING`], so a large model delays an answer by at
//! most this time. Diagnostics are computed when no message has arrived for [`PAUSE`].
//!
//! Messages are JSON values: the few that are used need no crate with types of the whole protocol.

mod completion;
mod definition;
mod diagnostics;
mod hover;
mod property;
mod session;
mod text;
mod words;

use crate::{Exit, Failure, remark};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value as Json, json};
use session::Session;
use std::time::Duration;

/// Limit on the time for reading a model.
const READING: Duration = Duration::from_secs(5);
/// Pause in the messages after which diagnostics are computed.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn run() -> Result<Exit, Failure> {
    let (connection, threads) = Connection::stdio();
    let Some(exit) = serve(&connection) else {
        // Nothing reads the answers. The reading thread ends with the process.
        return Err(Failure::OutputClosed);
    };
    drop(connection);
    threads.join()?;
    Ok(exit)
}

/// Handles messages until the client ends the session; `None` if it does not accept an answer.
fn serve(connection: &Connection) -> Option<Exit> {
    let mut session = Session::default();
    // Whether the client has announced the end, as the protocol requires.
    let mut is_ending = false;
    loop {
        let message = if session.is_outdated() {
            match connection.receiver.recv_timeout(PAUSE) {
                Err(error) if error.is_timeout() => {
                    for (uri, list) in diagnostics::refresh(&mut session) {
                        let params = json!({"uri": uri, "diagnostics": list});
                        let method = "textDocument/publishDiagnostics".to_owned();
                        let note = Notification { method, params };
                        connection.sender.send(note.into()).ok()?;
                    }
                    continue;
                }
                received => received.ok(),
            }
        } else {
            connection.receiver.recv().ok()
        };
        match message {
            Some(Message::Request(request)) => {
                is_ending |= request.method == "shutdown";
                let response = answer(&mut session, request);
                connection.sender.send(response.into()).ok()?;
            }
            Some(Message::Notification(note)) if note.method != "exit" => {
                session.note(&note.method, &note.params);
            }
            Some(Message::Response(_)) => {}
            Some(Message::Notification(_)) | None if is_ending => return Some(Exit::Fine),
            Some(Message::Notification(_)) | None => {
                remark("the client ended the session without `shutdown`");
                return Some(Exit::Input);
            }
        }
    }
}

fn answer(session: &mut Session, request: Request) -> Response {
    let Request { id, method, params } = request;
    let result = match method.as_str() {
        "initialize" => abilities(),
        "shutdown" => Json::Null,
        "textDocument/hover" => hover::answer(session, &params).unwrap_or_default(),
        "textDocument/definition" => definition::answer(session, &params).unwrap_or_default(),
        "textDocument/completion" => completion::answer(session, &params).unwrap_or_default(),
        "lariat/propertyAt" => property::answer(session, &params).unwrap_or_default(),
        _ => {
            let message = format!("`{method}` is not supported");
            return Response::new_err(id, ErrorCode::MethodNotFound as i32, message);
        }
    };
    Response::new_ok(id, result)
}

/// The answer to `initialize`. Positions count UTF-16 units, and a change contains the whole text.
fn abilities() -> Json {
    json!({
        "capabilities": {
            "textDocumentSync": {"openClose": true, "change": 1, "save": true},
            "hoverProvider": true,
            "definitionProvider": true,
            "completionProvider": {"triggerCharacters": [".", ">", "\""]},
        },
        "serverInfo": {"name": "lariat", "version": env!("CARGO_PKG_VERSION")},
    })
}
