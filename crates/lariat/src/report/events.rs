//! Events of programs as rows of a run name them: with their lines, guards and messages.

use super::text::value_text;
use lariat_formats::LoadedModel;
use lariat_formats::dve::Message;
use lariat_model::{EventId, Value, VarId};
use std::borrow::Cow;

/// Limit on the characters of a guard that are shown.
const GUARD: usize = 60;

/// The event, as in `P:a->b (line 5, guard x > 0, sends 11 on req)`; of a net, its name.
pub(crate) fn event_text<'m>(
    model: &'m LoadedModel,
    event: EventId,
    state: &[Value],
) -> Cow<'m, str> {
    let name = &model.system.event(event).name;
    let Some(sides) = model.sides.get(event.index()) else {
        return Cow::Borrowed(name);
    };
    let lines: Vec<String> = sides.iter().map(|side| side.line.to_string()).collect();
    let plural = if lines.len() == 1 { "" } else { "s" };
    let mut parts = vec![format!("line{plural} {}", lines.join(" and "))];
    let guards = sides.iter().map(|side| &*side.guard);
    let guards: Vec<&str> = guards.filter(|guard| !guard.is_empty()).collect();
    if !guards.is_empty() {
        parts.push(format!("guard {}", shortened(&guards.join(" and "))));
    }
    parts.extend(message(model, event).map(|message| message_text(model, message, state)));
    Cow::Owned(format!("{name} ({})", parts.join(", ")))
}

fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(GUARD) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The message of an event, if it has one.
fn message(model: &LoadedModel, event: EventId) -> Option<&Message> {
    let at = model
        .messages
        .binary_search_by_key(&event, |message| message.event);
    Some(&model.messages[at.ok()?])
}

fn message_text(model: &LoadedModel, message: &Message, state: &[Value]) -> String {
    let values = message.values.iter().map(|value| match value {
        lariat_model::Expr::Var(var) => value_text(&model.system, *var, state[var.index()]),
        value => value
            .eval(state)
            .map_or_else(|why| why.to_string(), |x| x.to_string()),
    });
    let values: Vec<String> = values.collect();
    let what = match &values[..] {
        [] => String::new(),
        [only] => format!(" {only}"),
        all => format!(" {{{}}}", all.join(", ")),
    };
    let verb = match (message.sender, message.receiver) {
        (Some(_), _) => "sends",
        (None, _) => "receives",
    };
    format!("{verb}{what} on {}", message.channel)
}

/// Returns whether a variable is part of a channel, whose messages the events show.
pub(crate) fn is_in_channel(model: &LoadedModel, var: VarId) -> bool {
    // Buffers are in increasing order.
    let after = model
        .buffers
        .partition_point(|buffer| buffer.start <= var.0);
    after > 0 && model.buffers[after - 1].contains(&var.0)
}
