//! Models by name: `anthropic:claude-…`, with keys and addresses from the environment, and recordings: `replay:FILE`.

use std::sync::Arc;

use opentool_core::{ChatModel, ModelError};

use super::{Model, Player, Provider, Retry, endpoint};

/// Services that speak Chat Completions: their name, their address, the variable of their key.
const COMPATIBLE: [(&str, &str, &str); 7] = [
    ("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    ("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    ("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    ("moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    ("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    ("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    ("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
];

/// Beginnings of names of models, and whose they are.
const KNOWN: [(&str, Provider); 13] = [
    ("gpt-", Provider::OpenAi),
    ("chatgpt-", Provider::OpenAi),
    ("o1", Provider::OpenAi),
    ("o3", Provider::OpenAi),
    ("o4", Provider::OpenAi),
    ("claude-", Provider::Anthropic),
    ("gemini-", Provider::Gemini),
    ("mistral-", Provider::Mistral),
    ("ministral-", Provider::Mistral),
    ("magistral-", Provider::Mistral),
    ("codestral-", Provider::Mistral),
    ("devstral-", Provider::Mistral),
    ("pixtral-", Provider::Mistral),
];

/// The model that a text names: `PROVIDER:MODEL`, or the name alone where it says whose it is (`gpt-…`, `claude-…`,
/// `gemini-…`, `mistral-…`). Questions that fail in passing are asked again ([`Retry`]). `replay:FILE` plays a recording
/// ([`Player`]) and needs no key.
///
/// Providers are those of [`Provider::name`], `google` for `gemini`, and services that speak Chat Completions:
/// `deepseek`, `fireworks`, `groq`, `moonshot`, `openrouter`, `together`, `xai`. Keys are taken from `OPENAI_API_KEY`,
/// `ANTHROPIC_API_KEY`, `GEMINI_API_KEY` (or `GOOGLE_API_KEY`), `MISTRAL_API_KEY`, `OLLAMA_API_KEY`, and so on; other
/// addresses from `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`, `GEMINI_BASE_URL`, `MISTRAL_BASE_URL`, `OLLAMA_HOST`. With an
/// address of one's own, a key is not needed. An empty variable counts as absent.
///
/// # Errors
/// [`ModelError::Unsupported`] if it names no provider, or no recording that can be read, or if the address in a variable
/// is none, [`ModelError::Unauthorized`] if there is no key.
pub fn model(name: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
    model_with(name, |model| model)
}

/// [`model`], set up further before it is asked again: how long an answer may take, members of the body, headers. A recording
/// has nothing to set up.
///
/// ```
/// use std::time::Duration;
/// use opentool_agent::chat;
///
/// # fn f() -> Result<(), opentool_core::ModelError> {
/// let model = chat::model_with("ollama:qwen3", |model| {
///     model.timeout(Duration::from_secs(60)).parameter("temperature", 0)
/// })?;
/// # Ok(())
/// # }
/// # f().unwrap();
/// ```
///
/// # Errors
/// Those of [`model`].
pub fn model_with(name: &str, set_up: impl FnOnce(Model) -> Model) -> Result<Arc<dyn ChatModel>, ModelError> {
    if let Some(file) = name.trim().strip_prefix("replay:") {
        if file.trim().is_empty() {
            let why = "`replay:` names no file; write `replay:FILE`, with a file that was recorded";
            return Err(ModelError::Unsupported(why.into()));
        }
        return Ok(Arc::new(Player::open(file)?));
    }
    Ok(Arc::new(Retry::new(set_up(from_variables(name, &variable)?))))
}

/// A model of OpenAI by Chat Completions, or of the server that `OPENAI_BASE_URL` names, with the key in
/// `OPENAI_API_KEY`; to be set up further. A server of your own needs no key.
///
/// It is asked once: put [`Retry`] around it when it is set up, or take [`model`] (`"openai:gpt-5"`), which does.
///
/// # Errors
/// Those of [`model`].
pub fn openai(name: impl Into<String>) -> Result<Model, ModelError> {
    of(Provider::OpenAi, name.into(), &variable)
}

/// A model of OpenAI by Responses, with the key in `OPENAI_API_KEY`.
///
/// It is asked once: put [`Retry`] around it when it is set up, or take [`model`] (`"openai-responses:gpt-5"`), which does.
///
/// # Errors
/// Those of [`model`].
pub fn openai_responses(name: impl Into<String>) -> Result<Model, ModelError> {
    of(Provider::OpenAiResponses, name.into(), &variable)
}

/// A model of Anthropic, with the key in `ANTHROPIC_API_KEY`.
///
/// It is asked once: put [`Retry`] around it when it is set up, or take [`model`] (`"anthropic:claude-sonnet-4-5"`), which does.
///
/// # Errors
/// Those of [`model`].
pub fn anthropic(name: impl Into<String>) -> Result<Model, ModelError> {
    of(Provider::Anthropic, name.into(), &variable)
}

/// A model of Google, with the key in `GEMINI_API_KEY` or `GOOGLE_API_KEY`.
///
/// It is asked once: put [`Retry`] around it when it is set up, or take [`model`] (`"gemini:gemini-3-pro"`), which does.
///
/// # Errors
/// Those of [`model`].
pub fn gemini(name: impl Into<String>) -> Result<Model, ModelError> {
    of(Provider::Gemini, name.into(), &variable)
}

/// A model of Mistral, with the key in `MISTRAL_API_KEY`.
///
/// It is asked once: put [`Retry`] around it when it is set up, or take [`model`] (`"mistral:mistral-large-latest"`), which does.
///
/// # Errors
/// Those of [`model`].
pub fn mistral(name: impl Into<String>) -> Result<Model, ModelError> {
    of(Provider::Mistral, name.into(), &variable)
}

/// A model of the Ollama that `OLLAMA_HOST` names; of this machine's if it is not set.
///
/// It is asked once: put [`Retry`] around it when it is set up, or take [`model`] (`"ollama:qwen3"`), which does.
///
/// # Errors
/// Those of [`model`].
pub fn ollama(name: impl Into<String>) -> Result<Model, ModelError> {
    of(Provider::Ollama, name.into(), &variable)
}

type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn from_variables(spec: &str, variables: Variables<'_>) -> Result<Model, ModelError> {
    let spec = spec.trim();
    let unsupported = |why: String| Err(ModelError::Unsupported(why.into()));
    let (provider, name) = match spec.split_once(':') {
        Some((provider, name)) => (provider, name),
        None => match KNOWN.iter().find(|(start, _)| spec.starts_with(start)) {
            Some((_, provider)) => (provider.name(), spec),
            None => {
                return unsupported(format!("`{}` does not say whose model it is; {}", shown(spec), all()));
            }
        },
    };
    if name.is_empty() {
        return unsupported(format!("`{}` names no model behind the colon", shown(spec)));
    }
    let named = if provider == "google" { "gemini" } else { provider };
    if let Some(provider) = Provider::all().iter().find(|provider| provider.name() == named) {
        return of(*provider, name.to_owned(), variables);
    }
    match COMPATIBLE.iter().find(|(service, _, _)| *service == provider) {
        Some((_, address, key)) => {
            let model = Model::new(Provider::OpenAi, name).base_url(address)?;
            match set(variables, key) {
                Some(key) => Ok(model.api_key(key)),
                None => Err(ModelError::Unauthorized(format!("set {key}").into())),
            }
        }
        None => unsupported(format!("there is no provider `{}`; {}", shown(provider), all())),
    }
}

fn of(provider: Provider, name: String, variables: Variables<'_>) -> Result<Model, ModelError> {
    let key = provider.key_variables().iter().find_map(|name| set(variables, name));
    let address = set(variables, provider.address_variable());
    if key.is_none() && address.is_none() && provider != Provider::Ollama {
        let keys = provider.key_variables().join(" or ");
        let hint = if provider == Provider::OpenAi { " (vLLM: http://localhost:8000/v1)" } else { "" };
        let address = provider.address_variable();
        return Err(ModelError::Unauthorized(
            format!("set {keys}, or {address} for a server of your own{hint}").into(),
        ));
    }
    let mut model = Model::new(provider, name);
    if let Some(address) = address {
        let address = if provider == Provider::Ollama { endpoint::ollama_host(&address) } else { address };
        let variable = provider.address_variable();
        model = model.base_url(address).map_err(|error| match error {
            ModelError::Unsupported(why) => ModelError::Unsupported(format!("{variable}: {why}").into()),
            other => other,
        })?;
    }
    Ok(match key {
        Some(key) => model.api_key(key),
        None => model,
    })
}

/// A variable that is not empty.
fn set(variables: Variables<'_>, name: &str) -> Option<String> {
    variables(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

fn all() -> String {
    let own = Provider::all().iter().map(|provider| provider.name());
    let names: Vec<&str> = own.chain(COMPATIBLE.iter().map(|(name, _, _)| *name)).collect();
    format!("write PROVIDER:MODEL with one of {}", names.join(", "))
}

/// A name for people, shortened.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(spec: &str, set: &[(&str, &str)]) -> Result<String, String> {
        let variables =
            |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        from_variables(spec, &variables).map(|model| format!("{model:?}")).map_err(|error| error.to_string())
    }

    #[test]
    fn names_say_whose_model_it_is() {
        let keys = [
            ("OPENAI_API_KEY", "sk-key\n"),
            ("ANTHROPIC_API_KEY", "k"),
            ("GOOGLE_API_KEY", "k"),
            ("MISTRAL_API_KEY", "k"),
            ("GROQ_API_KEY", "k"),
        ];
        for (spec, provider, name) in [
            ("gpt-5", "OpenAi", "gpt-5"),
            ("openai-responses:o3", "OpenAiResponses", "o3"),
            ("claude-sonnet-4-5", "Anthropic", "claude-sonnet-4-5"),
            ("google:gemini-3-pro", "Gemini", "gemini-3-pro"),
            ("magistral-medium", "Mistral", "magistral-medium"),
            ("ollama:qwen3:8b", "Ollama", "qwen3:8b"),
            ("groq:llama-4", "OpenAi", "llama-4"),
        ] {
            let model = from(spec, &keys).unwrap();
            assert!(model.contains(&format!("provider: {provider}, name: {name:?}")), "{spec}: {model}");
        }
        assert!(from("groq:llama-4", &keys).unwrap().contains("https://api.groq.com"));
    }

    #[test]
    fn what_is_missing_is_said_with_its_variable() {
        assert!(
            from("gpt-5", &[("OPENAI_API_KEY", " ")])
                .unwrap_err()
                .contains("set OPENAI_API_KEY, or OPENAI_BASE_URL")
        );
        assert!(from("gemini:g", &[]).unwrap_err().contains("GEMINI_API_KEY or GOOGLE_API_KEY"));
        assert!(from("xai:grok", &[]).unwrap_err().contains("XAI_API_KEY"));
        assert!(
            from("qwen3:8b", &[])
                .unwrap_err()
                .contains("no provider `qwen3`; write PROVIDER:MODEL with one of openai,")
        );
        assert!(from("qwen3", &[]).unwrap_err().contains("does not say whose model it is"));
        assert!(from("openai:", &[]).unwrap_err().contains("names no model"));
        for (spec, variable) in [
            ("gpt-5", "OPENAI_BASE_URL"),
            ("openai-responses:gpt-5", "OPENAI_BASE_URL"),
            ("claude-sonnet-4-5", "ANTHROPIC_BASE_URL"),
            ("gemini:g", "GEMINI_BASE_URL"),
            ("mistral-small", "MISTRAL_BASE_URL"),
            ("ollama:qwen3", "OLLAMA_HOST"),
        ] {
            for (address, why) in [
                ("http://[sk-secret", "the base URL is not an address"),
                ("http://sk-secret:123456/", "the base URL is not an address"),
                ("ftp://sk-secret/v1", "the base URL must begin with http:// or https://"),
                ("https://user:sk-secret@a/v1", "the base URL holds a user or password"),
            ] {
                let set = |name: &str| (name == variable).then(|| address.to_owned());
                let error = from_variables(spec, &set).unwrap_err();
                let text = error.to_string();
                assert!(matches!(error, ModelError::Unsupported(_)), "{spec}: {text}");
                assert!(text.contains(&format!("{variable}: {why}")), "{spec}: {text}");
                assert!(!text.contains("sk-secret"), "{text}");
            }
        }
    }

    #[test]
    fn a_server_of_your_own_needs_no_key() {
        let model = from("openai:qwen3", &[("OPENAI_BASE_URL", "http://localhost:8000/v1/")]).unwrap();
        assert!(model.contains("http://localhost:8000") && model.contains("key: None"), "{model}");
        let model = from("ollama:qwen3", &[("OLLAMA_HOST", "0.0.0.0")]).unwrap();
        assert!(model.contains("http://127.0.0.1:11434"), "{model}");
    }
}
