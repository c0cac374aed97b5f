"""In place of the programs `baseten` and `truss`: pushes the folder that it is run in.

It makes the deployment over the management API, answers as the program of its name does, and
keeps how it was called in GLM_TEST_CALLED. GLM_TEST_ENDS holds the exit status to end with, or
"silent", which answers nothing and ends well.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path

MODEL = "model:glm-5.3-flash preset:latency"


def main() -> None:
    program, words = Path(sys.argv[0]).name, sys.argv[1:]
    called = {"words": words, "files": os.listdir(), "program": program}
    Path(os.environ["GLM_TEST_CALLED"]).write_text(json.dumps(called), "utf-8")
    ends = os.environ.get("GLM_TEST_ENDS", "0")
    made = create(words[words.index("--environment") + 1] if "--environment" in words else None)
    model_id, deployment_id = made["model"]["id"], made["deployment"]["id"]
    if ends == "silent":
        return
    if ends != "0":
        print(f"Error: something was wrong with {os.environ['BASETEN_API_KEY']}", file=sys.stderr)
    elif program == "baseten":
        print("Uploaded model in 0s", file=sys.stderr)
        print(json.dumps({"model": {"id": model_id}, "deployment": {"id": deployment_id}}))
    else:
        print(json.dumps({"model_id": model_id, "model_version_id": deployment_id}))
    sys.exit(int(ends))


def create(environment: str | None) -> dict[str, dict[str, str]]:
    deployment = {"config": {}, "environment_name": environment}
    body = {"source": {"name": MODEL, "deployment": deployment}}
    request = urllib.request.Request(
        os.environ["BASETEN_TRUSS_AUTH_REMOTE_URL"] + "/v1/models",
        json.dumps(body).encode(),
        {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ['BASETEN_API_KEY']}",
        },
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main()
