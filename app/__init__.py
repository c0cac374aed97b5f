"""The GLM Playground: chat with GLM-5.3-Flash, try its tools, judge its answers."""
