"""What is said of an upload: the plan before it, and the result after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from deploy.space.environment import SpaceEnvironment
from deploy.space.folder import Staged
from deploy.space.upload import Upload, Uploaded, has_failed, is_on_its_way, stage_words


def plan_text(upload: Upload, *, public: bool) -> str:
    """What would be done, before it is. `public` is whether that was asked for."""
    environment = upload.environment
    private = upload.now.private if upload.now.exists else upload.private
    seen = "its owner alone" if private else "everybody"
    if public and private:
        seen += ", as before: make it public on its page"
    variables = [f"{name}={value}" for name, value in environment.variables.items()]
    rows = [
        ("seen by", seen),
        ("files", f"{len(upload.staged.files)}, {upload.staged.size / 1_000_000:.1f} MB"),
        ("deleted", listed(upload.deleted)),
        ("secrets", listed(environment.secrets)),
        ("variables", listed(variables)),
        ("taken out", listed(name for _, name in upload.taken_out)),
        ("kept", listed(upload.untouched)),
        ("not given", listed(environment.left_out)),
        ("bucket", f"{upload.bucket}, at /data" if upload.bucket else "none"),
        ("answered by", upload.asks),
    ]
    optional = ("deleted", "taken out", "kept", "not given", "bucket")
    told = "exists, and is changed" if upload.now.exists else "is made"
    lines = [f"The Space {upload.space} {told}:"]
    lines += [
        f"  {what:<12} {value}"
        for what, value in rows
        if not (what in optional and value == "none")
    ]
    if upload.untouched:
        lines.append("What is kept can be taken out under Settings, on the Space's page.")
    if environment.billed and not private:
        lines.append("Whoever asks it something wakes that model, which is billed while it serves.")
    return "\n".join(lines)


def staged_text(staged: Staged, environment: SpaceEnvironment) -> str:
    """What was written, and what comes next."""
    given = listed(sorted(environment.names))
    return "\n".join(
        (
            f"Staged {len(staged.files)} files in {staged.folder}: no key or setting is in them.",
            "To try it in that folder: pip install -r requirements.txt, then python space.py",
            "Next: python -m deploy space --push OWNER/NAME"
            + (f" (which also gives it {given})" if environment.names else ""),
        )
    )


def uploaded_text(upload: Upload, uploaded: Uploaded, *, waited: bool) -> str:
    """What was done, and how the Space is."""
    what = "Uploaded to" if uploaded.changed else "No file had changed at"
    taken_out = listed(name for _, name in upload.taken_out)
    lines = [
        f"{what} {uploaded.url}",
        f"Secrets set: {listed(upload.environment.secrets)}",
        f"Variables set: {listed(upload.environment.variables)}",
        *([f"Taken out: {taken_out}"] if upload.taken_out else []),
    ]
    words = stage_words(uploaded.stage)
    if has_failed(uploaded.stage):
        log = "build" if uploaded.stage == "BUILD_ERROR" else "container"
        reason = f" ({' '.join(uploaded.reason.split())})" if uploaded.reason else ""
        lines.append(f"{words}{reason}: read why at {uploaded.url}?logs={log}")
    elif uploaded.stage == "RUNNING":
        lines.append("It runs: open that address.")
    elif waited and is_on_its_way(uploaded.stage):
        lines.append(f"It does not run yet: {words.lower()}. Look again at that address.")
    else:
        lines.append(f"{words}: see that address.")
    return "\n".join(lines)


def uploaded_value(upload: Upload, uploaded: Uploaded) -> dict[str, Any]:
    """The same for a program."""
    return {
        "space": upload.space,
        "url": uploaded.url,
        "created": not upload.now.exists,
        "commit": uploaded.commit,
        "changed": uploaded.changed,
        "stage": uploaded.stage,
        "reason": uploaded.reason,
        "files": len(upload.staged.files),
        "deleted": upload.deleted,
        "secrets": list(upload.environment.secrets),
        "variables": dict(upload.environment.variables),
        "taken_out": [name for _, name in upload.taken_out],
        "kept": upload.untouched,
        "not_given": list(upload.environment.left_out),
        "bucket": upload.bucket,
        "answered_by": upload.asks,
    }


def done_text(space: str, done: Sequence[str]) -> str:
    """What stands at the Hub when an upload has not come to its end."""
    if not done:
        return "Nothing was changed at the Hub."
    return (
        f"Done by then: {', '.join(done)}. The same command goes on with {space}; what is there "
        "can be deleted on its page."
    )


def listed(several: Iterable[str]) -> str:
    """Names in one line."""
    return ", ".join(several) or "none"
