//! The model of the demo: a script that plays a model's part.
//!
//! Which tools it calls is written down here; what it says about their results is not. Its answers are made from
//! what the tools really answered, so that the conversation shows what happened and not what should have.

use opentool::agent::chat::{self, Script};
use opentool::{AssistantMessage, ChatRequest, Message, ToolCall, ToolOutput};
use opentool_petshop::Date;
use serde_json::{Value, json};

/// What the person says.
pub(super) const TURNS: [&str; 3] =
    ["Is there any pending pet?", "Tell me more about pet no. 2.", "Reserve it for me."];

/// What a real model has to know beside the tools.
pub(super) const INSTRUCTIONS: &str = "You work at the counter of a pet shop. Answer in one to three sentences of \
     plain text, with numbers and names. Use the tools for every fact; never make one up.";

/// The script, made for [`TURNS`].
pub(super) fn model() -> Script {
    chat::script()
        .calls([("findPetsByStatus", json!({"status": ["pending"]}))])
        .then(|request| answer(request, list_pending))
        // Both at once: neither needs the other.
        .calls([("getPetById", json!({"petId": 2})), ("today", json!({}))])
        .then(ask_for_fee)
        .then(|request| answer(request, describe))
        .calls([("placeOrder", json!({"petId": 2}))])
        .then(|request| answer(request, confirm))
}

/// What is said when all went well, or what went wrong.
fn answer(request: &ChatRequest<'_>, say: impl Fn(&ChatRequest<'_>) -> Option<String>) -> AssistantMessage {
    let failed = chat::last_results(request).find(|result| result.output.is_error);
    AssistantMessage::text(match failed {
        Some(result) => format!("That did not work: {}", result.output.to_text()),
        None => {
            say(request).unwrap_or_else(|| "The shop answered something that I do not understand.".to_owned())
        }
    })
}

fn list_pending(request: &ChatRequest<'_>) -> Option<String> {
    let pets = result_of(request, "findPetsByStatus")?;
    let pets: Vec<String> = pets
        .as_array()?
        .iter()
        .map(|pet| {
            Some(format!("no. {}, {} (a {})", pet.get("id")?, text(pet, "name")?, text(pet, "species")?))
        })
        .collect::<Option<_>>()?;
    Some(match pets.as_slice() {
        [] => "No, there is none.".to_owned(),
        [one] => format!("Yes, one: {one}."),
        many => format!("Yes, {}: {}.", number(many.len()), listed(many)),
    })
}

/// The fee depends on the age, which follows from the two results that came in.
fn ask_for_fee(request: &ChatRequest<'_>) -> AssistantMessage {
    match pet_and_age(request) {
        Some((pet, age)) => {
            let species = pet.get("species").cloned().unwrap_or_default();
            let arguments = json!({"species": species, "age_in_months": age});
            AssistantMessage::calls([ToolCall::new("fee_1", "adoption_fee", arguments)])
        }
        None => answer(request, |_| None),
    }
}

fn describe(request: &ChatRequest<'_>) -> Option<String> {
    let (pet, age) = pet_and_age(request)?;
    let fee = result_of(request, "adoption_fee")?;
    let name = text(&pet, "name")?;
    let tags: Vec<String> =
        pet.get("tags")?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let character = if tags.is_empty() { String::new() } else { format!(": {}", listed(&tags)) };
    let free = match pet.get("reserved")?.as_bool()? {
        true => "somebody has reserved it",
        false => "nobody has reserved it yet",
    };
    Some(format!(
        "{name} is a {}, born on {}, {age} months old{character}. It is {} and {free}. Taking {name} home costs \
         {} EUR ({}).",
        text(&pet, "species")?,
        text(&pet, "born")?,
        text(&pet, "status")?,
        fee.get("euros")?,
        text(&fee, "reason")?,
    ))
}

fn confirm(request: &ChatRequest<'_>) -> Option<String> {
    let order = result_of(request, "placeOrder")?;
    let pet = result_of(request, "getPetById")?;
    let name = text(&pet, "name")?;
    let then = match text(&order, "status")? {
        "placed" => format!("The shop waits for the vet; then {name} can go home with you."),
        "ready" => format!("You can come for {name} today."),
        other => format!("Its state is {other}."),
    };
    Some(format!("Done: order no. {} reserves {name} for you. {then}", order.get("id")?))
}

/// The pet that was asked for, and its age in months today.
fn pet_and_age(request: &ChatRequest<'_>) -> Option<(Value, i32)> {
    let pet = result_of(request, "getPetById")?;
    let today: Date = result_of(request, "today")?.as_str()?.parse().ok()?;
    let born: Date = text(&pet, "born")?.parse().ok()?;
    // The mean length of a month, in the calendar's own cycle of 400 years.
    let months = i64::from(today.days_since(born)) * 4_800 / 146_097;
    Some((pet, i32::try_from(months.max(0)).ok()?))
}

/// What the tool answered last, if it answered well.
fn result_of(request: &ChatRequest<'_>, tool: &str) -> Option<Value> {
    let output = request.messages.iter().rev().find_map(|message| match message {
        Message::Tool(result) if result.name == tool && !result.output.is_error => Some(&result.output),
        _ => None,
    })?;
    value_of(output)
}

fn value_of(output: &ToolOutput) -> Option<Value> {
    output.structured.clone().or_else(|| serde_json::from_str(&output.to_text()).ok())
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// Small numbers as people say them.
fn number(n: usize) -> String {
    let words = ["none", "one", "two", "three", "four", "five"];
    words.get(n).map_or_else(|| n.to_string(), |&word| word.to_owned())
}

/// `a`, `a and b`, `a, b and c`; semicolons where the parts have commas.
fn listed(parts: &[String]) -> String {
    let comma = if parts.iter().any(|part| part.contains(',')) { "; " } else { ", " };
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) if comma == "; " => format!("{}; {last}", others.join(comma)),
        Some((last, others)) => format!("{} and {last}", others.join(comma)),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn lists_read_like_sentences() {
        let of = |parts: &[&str]| listed(&parts.iter().map(|&part| part.to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["quiet"]), "quiet");
        assert_eq!(of(&["quiet", "calm"]), "quiet and calm");
        assert_eq!(of(&["a", "b", "c"]), "a, b and c");
        assert_eq!(of(&["no. 2, Miso", "no. 5, Pepper"]), "no. 2, Miso; no. 5, Pepper");
    }
}
