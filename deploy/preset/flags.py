"""What vLLM's flags mean: those of the preset, and those that one may want to add to it.

The words are ours; the names are those of `vllm serve`. A switch is a flag without a value, whose
negative is `--no-NAME`. A mapping takes JSON, or its keys one by one, as in
`--speculative-config.method`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["value", "switch", "mapping"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a flag does, and what some of its values, or of its keys, stand for."""

    text: str
    kind: Kind = "value"
    values: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, Meaning] = field(default_factory=dict)


def meaning_of(name: str) -> Meaning | None:
    """What the flag of that name (no dashes) means, or None for one that is not known here.

    The negative of a switch and a key of a mapping have meanings too.
    """
    if name in FLAGS:
        return FLAGS[name]
    if name.startswith("no-") and is_switch(name.removeprefix("no-")):
        positive = FLAGS[name.removeprefix("no-")]
        return Meaning(NEGATIVES.get(name, f"Turned off: {_lower(positive.text)}"), "switch")
    head, dot, key = name.partition(".")
    if dot and key and head in FLAGS and FLAGS[head].kind == "mapping":
        return FLAGS[head].keys.get(key, Meaning(f"The entry {key} of: {_lower(FLAGS[head].text)}"))
    return None


def explanation(name: str, value: str) -> str | None:
    """What the flag does, and what this value of it stands for; None for an unknown flag."""
    meaning = meaning_of(name)
    if meaning is None:
        return None
    stands_for = meaning.values.get(value)
    return f"{meaning.text} {value}: {stands_for}" if stands_for else meaning.text


def is_switch(name: str) -> bool:
    """Whether the flag is known to take no value."""
    return name in FLAGS and FLAGS[name].kind == "switch"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


FLAGS: Final[Mapping[str, Meaning]] = {
    "host": Meaning(
        "Address that the server listens on.",
        values={"0.0.0.0": "every address of the container, so that Baseten's proxy finds it."},  # noqa: S104
    ),
    "port": Meaning("Port that the server listens on; server_port must name the same."),
    "served-model-name": Meaning("Name that a request must give as its model."),
    "tensor-parallel-size": Meaning("GPUs that each layer of the model is split across."),
    "max-model-len": Meaning(
        "Context: the most tokens that a prompt and its answer may have together. A smaller one "
        "leaves more room for requests at once."
    ),
    "gpu-memory-utilization": Meaning(
        "Share of each GPU's memory that vLLM takes for weights and KV cache; what it leaves is "
        "for all else on the GPU."
    ),
    "max-num-seqs": Meaning(
        "Requests that the engine works on at once; the next one waits. predict_concurrency must "
        "let as many through."
    ),
    "enable-prefix-caching": Meaning(
        "Keeps the KV cache of a prompt, so that a later prompt which starts the same way, such "
        "as the next turn of a chat, is not computed again.",
        "switch",
    ),
    "limit-mm-per-prompt": Meaning(
        "Most images, clips and sounds that one prompt may hold.",
        "mapping",
        keys={
            "image": Meaning("Images that one prompt may hold, counted over the whole chat."),
            "video": Meaning("Clips that one prompt may hold, counted over the whole chat."),
            "audio": Meaning("Sounds that one prompt may hold, counted over the whole chat."),
        },
    ),
    "tool-call-parser": Meaning(
        "What turns the model's tool-call markup into tool_calls of the answer.",
        values={"glm47": "the markup of GLM-4.7, which GLM-5 and GLM-5.3 write too."},
    ),
    "reasoning-parser": Meaning(
        "What takes the thought out of the answer and into a field of its own: reasoning in "
        "current vLLM, reasoning_content in older ones.",
        values={"glm45": "the thought tags of GLM-4.5, which GLM-5 and GLM-5.3 write too."},
    ),
    "default-chat-template-kwargs": Meaning(
        "Values that the chat template gets where a request gives none.",
        "mapping",
        keys={
            "reasoning_effort": Meaning(
                "How hard the model thinks where a request does not say; a request's own "
                "reasoning_effort goes before it.",
                values={
                    "low": "little thought, the quickest answers.",
                    "high": "the middle of GLM-5.3's three efforts.",
                    "max": "all the thought that it wants, the slowest answers.",
                },
            ),
            "clear_thinking": Meaning(
                "Whether the thought of earlier turns is left out of the prompt; GLM-5.3 keeps it "
                "where this is not set."
            ),
        },
    ),
    "enable-auto-tool-choice": Meaning(
        "Lets the model itself decide whether to call a tool (tool_choice auto); it needs "
        "--tool-call-parser.",
        "switch",
    ),
    "speculative-config": Meaning(
        "Speculative decoding: tokens are guessed cheaply, then checked by the model in one step.",
        "mapping",
        keys={
            "method": Meaning(
                "Who guesses tokens ahead, for the model to check several in one step.",
                values={"mtp": "the model's own head for multi-token prediction."},
            ),
            "num_speculative_tokens": Meaning(
                "Tokens guessed ahead in each step. More are quicker as long as they are accepted."
            ),
            "model": Meaning("The model that guesses tokens ahead, where it is another one."),
        },
    ),
    "enable-flashinfer-autotune": Meaning(
        "Measures FlashInfer's kernels when the server starts, to pick the fastest ones.", "switch"
    ),
    "load-format": Meaning(
        "How the weights are read.",
        values={
            "runai_streamer": "many reads at once, straight on to the GPUs: a shorter start.",
            "auto": "safetensors where there are any.",
            "dummy": "random weights, for measurements only.",
        },
    ),
    "model": Meaning("What is served: a folder, or a repository on Hugging Face."),
    "tokenizer": Meaning("Another tokenizer than the model's own."),
    "revision": Meaning("Branch, tag or commit of the model's repository."),
    "hf-overrides": Meaning("Values that replace those of the model's own config.", "mapping"),
    "trust-remote-code": Meaning("Runs Python that comes with the checkpoint.", "switch"),
    "dtype": Meaning("Number format of weights and activations that are not quantised."),
    "quantization": Meaning("How the weights are quantised, where the checkpoint does not say."),
    "kv-cache-dtype": Meaning(
        "Number format of the KV cache. On H100 this model needs BF16: an FP8 cache does not work "
        "there yet.",
        values={"auto": "as the model's."},
    ),
    "kv-cache-memory-bytes": Meaning("Memory of each GPU for the KV cache, in bytes."),
    "block-size": Meaning("Tokens that a block of the KV cache holds."),
    "cpu-offload-gb": Meaning("GiB of weights, a GPU, that stay in the CPU's memory."),
    "pipeline-parallel-size": Meaning("Groups of GPUs that each hold some of the layers."),
    "data-parallel-size": Meaning("Copies of the model that share the requests."),
    "enable-expert-parallel": Meaning(
        "Gives each GPU whole experts of the mixture, in place of a slice of every one.", "switch"
    ),
    "distributed-executor-backend": Meaning("What runs the processes of several GPUs."),
    "max-num-batched-tokens": Meaning(
        "Most tokens of all requests in one step of the engine: a higher number reads long "
        "prompts faster, and makes answers under way wait longer."
    ),
    "enable-chunked-prefill": Meaning(
        "Reads a long prompt in pieces, between steps of other answers.", "switch"
    ),
    "async-scheduling": Meaning("Plans the next step while the GPUs work on this one.", "switch"),
    "scheduling-policy": Meaning(
        "Who goes first of the requests that wait.",
        values={
            "fcfs": "who came first.",
            "priority": "who asked with the smallest priority number.",
        },
    ),
    "stream-interval": Meaning("Tokens that are gathered before a piece of the stream is sent."),
    "enforce-eager": Meaning("No CUDA graphs: a quicker start, slower answers.", "switch"),
    "compilation-config": Meaning("How vLLM compiles the model.", "mapping"),
    "attention-backend": Meaning("Which attention kernels are used."),
    "attention-config": Meaning("Settings of attention.", "mapping"),
    "seed": Meaning("Seed of all random numbers where a request gives none."),
    "chat-template": Meaning("Another chat template than the model's own."),
    "chat-template-content-format": Meaning("How a message's parts are given to the template."),
    "generation-config": Meaning("Where default sampling values come from."),
    "override-generation-config": Meaning("Default sampling values.", "mapping"),
    "reasoning-effort-map": Meaning("Which effort stands for which other one.", "mapping"),
    "structured-outputs-config": Meaning("How answers are held to a schema.", "mapping"),
    "tool-parser-plugin": Meaning("File with a tool-call parser of one's own."),
    "tool-server": Meaning("Servers of tools that the engine may call by itself."),
    "enable-prompt-tokens-details": Meaning(
        "Tells in each answer's usage how many prompt tokens came from the prefix cache.", "switch"
    ),
    "enable-force-include-usage": Meaning("Sends usage with every streamed answer.", "switch"),
    "enable-request-id-headers": Meaning("Sends X-Request-Id back with each answer.", "switch"),
    "enable-log-requests": Meaning("Writes each request to the log.", "switch"),
    "enable-log-outputs": Meaning("Writes each answer to the log.", "switch"),
    "disable-log-stats": Meaning("Keeps the engine's figures out of the log.", "switch"),
    "disable-log-requests": Meaning("Keeps requests out of the log.", "switch"),
    "max-log-len": Meaning("Characters of a prompt that the log shows."),
    "uvicorn-log-level": Meaning("How much the HTTP server logs."),
    "disable-uvicorn-access-log": Meaning("Keeps the list of requests out of the log.", "switch"),
    "sse-keep-alive-interval": Meaning("Seconds after which a silent stream gets a comment line."),
    "api-key": Meaning("Key that each request must give; Baseten asks for its own in any case."),
    "root-path": Meaning("Path under which a proxy serves the server."),
    "allowed-origins": Meaning("Origins whose pages may call the server from a browser."),
    "middleware": Meaning("ASGI middleware that each request passes."),
    "allowed-local-media-path": Meaning("Folder whose files a request may name as media."),
    "allowed-media-domains": Meaning("Hosts from which media that a request names are fetched."),
    "media-io-kwargs": Meaning("How media are read, such as the frames of a clip.", "mapping"),
    "mm-processor-kwargs": Meaning("Values for the model's media processor.", "mapping"),
    "mm-processor-cache-gb": Meaning("GiB that keep processed media, for the next turn."),
    "mm-encoder-tp-mode": Meaning(
        "How the encoder of images and clips is spread over the GPUs.",
        values={"weights": "its layers are split.", "data": "each GPU takes some of the pictures."},
    ),
    "trust-request-mm-kwargs": Meaning("Lets a request change how its media are read.", "switch"),
    "skip-mm-profiling": Meaning("Does not reserve memory for the largest media.", "switch"),
    "model-loader-extra-config": Meaning("Settings of how the weights are read.", "mapping"),
    "download-dir": Meaning("Folder for weights that are downloaded."),
    "safetensors-load-strategy": Meaning("How safetensors files are read."),
    "additional-config": Meaning("Settings for the platform's own code.", "mapping"),
    "kv-transfer-config": Meaning("How KV cache moves between servers.", "mapping"),
    "enable-sleep-mode": Meaning("Lets the engine give its GPU memory back for a while.", "switch"),
    "enable-server-load-tracking": Meaning("Counts the requests under way.", "switch"),
    "api-server-count": Meaning("Processes that take requests."),
    "config": Meaning("YAML file with flags, which those of the command go before."),
}

NEGATIVES: Final[Mapping[str, str]] = {
    "no-enable-flashinfer-autotune": (
        "Skips the measurements of FlashInfer's kernels when the server starts: a shorter start."
    ),
    "no-enable-prefix-caching": "Computes every prompt anew, even where its start is known.",
}
