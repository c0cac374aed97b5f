"""A stand-in for the model's server: vLLM's wire as recorded, with no model behind it.

It says in every answer what it is. `create_simulator` makes the ASGI application, which is served
alone or in the same process as the page; `faults` lists what can be asked of it by a header.
"""

from app.simulator.app import create_simulator
from app.simulator.settings import SimulatorSettings

__all__ = ["SimulatorSettings", "create_simulator"]
