"""Rules about the engine's flags: each once, each with a value it can have, all in agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from deploy.preset.fields import at
from deploy.preset.finding import MISSING, Finding, error, warning
from deploy.preset.flags import FLAGS, meaning_of
from deploy.preset.rules.hardware import gpu_count, gpu_type
from deploy.preset.values import Preset

# What `push` sets as the autoscaler's concurrency_target.
CONCURRENCY_TARGET: Final = 16
# The context that GLM-5.3-Flash was made for; vLLM refuses a longer one at its start.
_LONGEST_CONTEXT: Final = 1_048_576
_COUNTS: Final = (
    "tensor-parallel-size",
    "pipeline-parallel-size",
    "data-parallel-size",
    "max-num-seqs",
    "max-num-batched-tokens",
)
_EFFORTS: Final = ("low", "high", "max")
_EFFORT: Final = "default-chat-template-kwargs.reasoning_effort"
_HOPPER: Final = ("H100", "H200", "H100_40GB")


def each_flag_once(preset: Preset) -> Iterator[Finding]:
    """Of two equal flags vLLM takes the last, silently."""
    counts = Counter(flag.name for flag in preset.start.flags)
    for name, count in counts.items():
        twins = [twin for twin in (name, f"no-{name}") if twin in counts]
        if count > 1:
            yield error(
                f"--{name}", f"given {count} times", "A flag stands once: only the last counts."
            )
        elif len(twins) > 1:
            yield error(f"--{name}", f"--{name} --no-{name}", "Only the last of the two counts.")


def flags_are_known(preset: Preset) -> Iterator[Finding]:
    """vLLM ends at its start for a flag that it does not know, with eight GPUs waiting."""
    for flag in preset.start.flags:
        meaning = meaning_of(flag.name)
        if meaning is None:
            near = get_close_matches(flag.name, FLAGS, n=1, cutoff=0.75)
            hint = f" Is --{near[0]} meant?" if near else ""
            yield warning(
                f"--{flag.name}",
                flag.value or "(no value)",
                f"Not a flag that is known here: vLLM ends at its start if it is none.{hint}",
            )
        elif meaning.kind == "switch" and flag.values:
            yield error(f"--{flag.name}", flag.value, "The flag takes no value.")
        elif meaning.kind != "switch" and not flag.value:
            yield error(f"--{flag.name}", MISSING, "The flag needs a value.")


def figures(preset: Preset) -> Iterator[Finding]:
    """Numbers that vLLM could not use."""
    start = preset.start
    for name in _COUNTS:
        value = start.value(name)
        if value and not _in_shell(preset, value) and (start.integer(name) or 0) < 1:
            yield error(f"--{name}", value, "It must be a number of 1 or more.")
    length = start.value("max-model-len")
    if length and length not in ("auto", "-1") and not _in_shell(preset, length):
        tokens = preset.max_model_len
        if tokens is None or not 1 <= tokens <= _LONGEST_CONTEXT:
            yield error(
                "--max-model-len",
                length,
                f"It must be a number of tokens from 1 to {_LONGEST_CONTEXT}, the model's context.",
            )
    share = start.value("gpu-memory-utilization")
    if share and not _in_shell(preset, share) and not _is_share(share):
        yield error("--gpu-memory-utilization", share, "It must be more than 0 and at most 1.")


def gpus_are_used(preset: Preset) -> Iterator[Finding]:
    """Every GPU that is paid for, and no more."""
    gpus = gpu_count(preset)
    sizes = [preset.start.value(name) for name in _COUNTS[:3]]
    if not gpus or not preset.start.program or any(_in_shell(preset, size or "") for size in sizes):
        return
    used = 1
    for name in _COUNTS[:3]:
        used *= preset.start.integer(name) or 1
    if used != gpus:
        yield error(
            "--tensor-parallel-size",
            preset.start.value("tensor-parallel-size") or f"{MISSING}, which means 1",
            f"{preset.instance_type} has {gpus} GPUs, and the engine would use {used}: tensor, "
            "pipeline and data parallel size multiplied must be the number of GPUs.",
        )


def concurrency(preset: Preset) -> Iterator[Finding]:
    """What the engine runs at once, what Baseten lets through, and when it starts a replica."""
    through = at(preset.config, "runtime.predict_concurrency")
    at_once = preset.max_num_seqs
    if isinstance(through, bool) or not isinstance(through, int | None):
        yield error("runtime.predict_concurrency", through, "It must be a number of 1 or more.")
        return
    if through is not None and through < 1:
        yield error(
            "runtime.predict_concurrency",
            through,
            "It must be 1 or more: it is how many requests reach the engine at once.",
        )
        return
    if at_once is None or at_once < 1:
        return
    if (through or 1) != at_once:
        yield error(
            "runtime.predict_concurrency",
            f"{MISSING}, which means 1" if through is None else through,
            f"It must be --max-num-seqs, {at_once}: with fewer the engine is never full, with more "
            "some wait inside it, unseen by the autoscaler.",
        )
    if at_once != CONCURRENCY_TARGET:
        yield warning(
            "--max-num-seqs",
            at_once,
            f"A push sets the autoscaler's concurrency_target to {CONCURRENCY_TARGET}: with "
            "another number here, it counts on requests that the engine does not run at once.",
        )


def calls_and_thought(preset: Preset) -> Iterator[Finding]:
    """Flags that need one another, and values that the template or the kernels do not have."""
    start = preset.start
    if start.flag("enable-auto-tool-choice") and not start.value("tool-call-parser"):
        yield error(
            "--tool-call-parser", MISSING, "--enable-auto-tool-choice needs it, glm47 for GLM-5.3."
        )
    effort = start.value(_EFFORT)
    if effort and effort not in _EFFORTS:
        yield error(
            f"--{_EFFORT}",
            effort,
            "The template takes any other word for max: write low, high or max.",
        )
    cache = start.value("kv-cache-dtype") or ""
    if cache.startswith("fp8") and gpu_type(preset) in _HOPPER:
        yield error(
            "--kv-cache-dtype",
            cache,
            "This model's kernels have no FP8 KV cache on H100 and H200: leave the flag out.",
        )


def model_is_mounted(preset: Preset) -> Iterator[Finding]:
    """The folder that is served must be where the weights are put."""
    model = preset.start.model or ""
    weights = at(preset.config, "weights")
    mounts = [at(item, "mount_location") for item in weights] if isinstance(weights, list) else []
    mounts = [mount.rstrip("/") for mount in mounts if isinstance(mount, str)]
    if model.startswith("/") and mounts:
        inside = any(model == mount or model.startswith(f"{mount}/") for mount in mounts)
        if not inside and model.rstrip("/") not in mounts:
            yield error(
                "docker_server.start_command",
                model,
                f"The weights are mounted at {', '.join(mounts)}: serve that folder.",
            )


def _is_share(text: str) -> bool:
    try:
        return text.isascii() and 0 < float(text) <= 1
    except ValueError:
        return False


def _in_shell(preset: Preset, value: str) -> bool:
    """Whether a shell would put another value in this one's place."""
    return preset.start.in_shell and "$" in value
