"""Every knob of the app, its unit and its default; `.env.example` lists the same."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr, ValidationError

from app.connections import Connection, SettingsError, compatible, is_loopback
from app.model_server_settings import MODEL, PROJECT, ModelServerSettings
from app.spaces import MOUNT, bucket_folder, on_space

__all__ = [
    "MODEL",
    "PROJECT",
    "Connection",
    "Settings",
    "SettingsError",
    "compatible_connection",
    "load_settings",
]


class Settings(ModelServerSettings):
    """What the environment, and a `.env` file in the project's folder, may set."""

    server_name: str = Field(
        "127.0.0.1", alias="GRADIO_SERVER_NAME", description="Address to serve the page on."
    )
    server_port: int = Field(
        7860,
        alias="GRADIO_SERVER_PORT",
        ge=0,
        le=65535,
        description="Port to serve the page on; 0 takes a free one.",
    )
    root_path: str = Field(
        "", alias="GRADIO_ROOT_PATH", description="Path under which a proxy serves the page."
    )
    public: bool | None = Field(
        None,
        alias="GLM_PUBLIC",
        description="true: visitors are strangers (limits apply); unset: true on a Space, "
        "and where the address served is not loopback.",
    )

    mcp: bool = Field(
        False,
        alias="GLM_MCP",
        description="true: the endpoint chat is a tool over MCP as well, at /gradio_api/mcp/; "
        "needs the extra mcp: pip install -c constraints.txt -e '.[mcp]'.",
    )
    mcp_servers: str = Field(
        "",
        alias="GLM_MCP_SERVERS",
        description="Addresses of MCP servers, with spaces between them, from which tools can be "
        "imported; needs the extra mcp as well.",
    )

    connect_timeout_s: float = Field(
        5.0, alias="GLM_CONNECT_TIMEOUT_S", gt=0, description="Seconds to reach the model server."
    )
    silence_timeout_s: float = Field(
        1200.0,
        alias="GLM_SILENCE_TIMEOUT_S",
        gt=0,
        description="Seconds without a byte before a turn has timed out; a queue, a wake and a "
        "prompt of 1M tokens are all silent.",
    )
    slots: int = Field(
        16,
        alias="GLM_SLOTS",
        ge=1,
        description="Turns sent to the model server at once; the rest wait in line.",
    )
    visitor_slots: int = Field(
        4, alias="GLM_VISITOR_SLOTS", ge=1, description="Turns of one visitor at once, when public."
    )
    visitor_turns_per_minute: int = Field(
        20,
        alias="GLM_VISITOR_TURNS_PER_MINUTE",
        ge=1,
        description="Turns that one visitor may start in a minute, when public.",
    )
    visitor_tokens_per_day: int | None = Field(
        None,
        alias="GLM_VISITOR_TOKENS_PER_DAY",
        ge=1,
        description="Tokens of prompts and answers that one visitor has for a day of UTC; unset: "
        "1000000 when public, else no limit.",
    )
    visitor_upload_mb_per_day: float | None = Field(
        None,
        alias="GLM_VISITOR_UPLOAD_MB_PER_DAY",
        gt=0,
        description="Megabytes that one visitor may upload in a day of UTC; unset: 500 when "
        "public, else no limit.",
    )
    visitor_stored_mb: float | None = Field(
        None,
        alias="GLM_VISITOR_STORED_MB",
        gt=0,
        description="Megabytes of chats, pictures and clips kept for one visitor; unset: 200 when "
        "public, else no limit.",
    )
    require_sign_in: bool = Field(
        False,
        alias="GLM_REQUIRE_SIGN_IN",
        description="true: nothing is shown to who has not signed in with Hugging Face; needs a "
        "Space with hf_oauth: true.",
    )
    allowed_users: str = Field(
        "",
        alias="GLM_ALLOWED_USERS",
        description="Names of Hugging Face users who may come in, with spaces between them; with "
        "these or organisations set, everybody else stays out.",
    )
    allowed_organisations: str = Field(
        "",
        alias="GLM_ALLOWED_ORGANISATIONS",
        description="Names of Hugging Face organisations whose members may come in, with spaces "
        "between them.",
    )
    auth: SecretStr | None = Field(
        None,
        alias="GLM_AUTH",
        description="Names and passwords of those who may come in, as name:password with spaces "
        "between them; for servers other than Spaces that ask to sign in with Hugging Face.",
    )
    grace_s: float | None = Field(
        None,
        alias="GLM_GRACE_S",
        ge=0,
        description="Seconds a turn goes on while nobody listens; unset: 10 when public, else 300.",
    )
    max_tokens_cap: int | None = Field(
        None,
        alias="GLM_MAX_TOKENS_CAP",
        ge=1,
        description="Most tokens a turn may ask for; unset: 16384 when public, else no cap.",
    )
    send_reasoning: bool = Field(
        True,
        alias="GLM_SEND_REASONING",
        description="Whether earlier reasoning is sent back; false for servers that refuse it.",
    )
    break_control_tokens: bool | None = Field(
        None,
        alias="GLM_BREAK_CONTROL_TOKENS",
        description="Whether control tokens in typed text are broken up; unset: when public.",
    )
    image_tokens: int = Field(
        8000,
        alias="GLM_IMAGE_TOKENS",
        ge=16,
        le=8000,
        description="Pixel budget of a picture, in the model's tokens of 28 x 28 pixels.",
    )
    upload_mb: float | None = Field(
        None,
        alias="GLM_UPLOAD_MB",
        gt=0,
        description="Largest upload, in megabytes; unset: 100 when public, else 500.",
    )
    case_mb: float | None = Field(
        None,
        alias="GLM_CASE_MB",
        gt=0,
        description="Largest import of case files, unpacked, in megabytes; unset: 50 when public, "
        "else 200.",
    )
    clip_seconds: float = Field(
        600.0, alias="GLM_CLIP_SECONDS", gt=0, description="Longest clip, in seconds."
    )
    media_mb: float = Field(
        2000.0,
        alias="GLM_MEDIA_MB",
        gt=0,
        description="Pictures and clips kept on disk, in megabytes; the oldest go first.",
    )
    data_folder: Path = Field(
        Path("data"),
        alias="GLM_DATA_FOLDER",
        description="Folder for what is kept between visits: chats, pictures, clips; a relative "
        "one is in the project's folder. Unset on a Space with a bucket mounted at /data: "
        "/data/glm-playground; without one, all of it ends when the Space restarts.",
    )
    database_url: SecretStr | None = Field(
        None,
        alias="DATABASE_URL",
        description="Database of the chats, such as postgresql://user@host/name; unset: SQLite in "
        "the data folder.",
    )
    keep_days: float | None = Field(
        None,
        alias="GLM_KEEP_DAYS",
        gt=0,
        description="Days that a chat is kept after its last change; unset: 30 when public, else "
        "for ever.",
    )
    chats_mb: float | None = Field(
        None,
        alias="GLM_CHATS_MB",
        gt=0,
        description="Text of all chats kept, in megabytes, the oldest go first; unset: 2000 when "
        "public, else no cap.",
    )
    context_tokens: int = Field(
        1_048_576,
        alias="GLM_CONTEXT_TOKENS",
        ge=1,
        description="Context of the model in tokens, where the server does not tell.",
    )
    price_input: float | None = Field(
        None,
        alias="GLM_PRICE_INPUT",
        ge=0,
        description="US dollars for a million prompt tokens; with it, turns show their cost.",
    )
    price_cached: float | None = Field(
        None,
        alias="GLM_PRICE_CACHED",
        ge=0,
        description="US dollars for a million prompt tokens from the prefix cache; unset: as "
        "GLM_PRICE_INPUT.",
    )
    price_output: float | None = Field(
        None,
        alias="GLM_PRICE_OUTPUT",
        ge=0,
        description="US dollars for a million tokens of thought and answer.",
    )
    price_hour: float | None = Field(
        None,
        alias="GLM_PRICE_HOUR",
        ge=0,
        description="US dollars for an hour of the model server, such as 52.00 for H100:8 on "
        "Baseten; without token prices a turn costs its share of time.",
    )
    simulator_tokens_per_second: float = Field(
        150.0,
        alias="GLM_SIMULATOR_TOKENS_PER_SECOND",
        gt=0,
        description="Speed of the embedded simulator, in tokens a second.",
    )

    def is_public(self) -> bool:
        """Whether visitors are to be taken for strangers."""
        if self.public is not None:
            return self.public
        return on_space() or not is_loopback(self.server_name)

    def grace_seconds(self) -> float:
        """Seconds that a turn goes on while nobody listens."""
        if self.grace_s is not None:
            return self.grace_s
        return 10.0 if self.is_public() else 300.0

    def token_cap(self) -> int | None:
        """The most tokens a turn may ask for, or None for no cap."""
        if self.max_tokens_cap is not None:
            return self.max_tokens_cap
        return 16_384 if self.is_public() else None

    def passwords(self) -> tuple[tuple[str, str], ...]:
        """Who may come in by name and password. Raises SettingsError, without what it holds."""
        pairs = self.auth.get_secret_value().split() if self.auth else []
        found = tuple((name, password) for name, _, password in (p.partition(":") for p in pairs))
        if self.auth and not (found and all(name and password for name, password in found)):
            raise SettingsError(
                "GLM_AUTH cannot be read: write it as name:password, with spaces between several."
            )
        return found

    def visitor_day_tokens(self) -> int | None:
        """Tokens that one visitor has for a day, or None for no limit."""
        if self.visitor_tokens_per_day is not None:
            return self.visitor_tokens_per_day
        return 1_000_000 if self.is_public() else None

    def visitor_day_upload_bytes(self) -> int | None:
        """Bytes that one visitor may upload in a day, or None for no limit."""
        return self._bytes(self.visitor_upload_mb_per_day, 500.0)

    def visitor_stored_bytes(self) -> int | None:
        """Bytes that are kept for one visitor, or None for no limit."""
        return self._bytes(self.visitor_stored_mb, 200.0)

    def _bytes(self, megabytes: float | None, when_public: float) -> int | None:
        if megabytes is None:
            megabytes = when_public if self.is_public() else None
        return None if megabytes is None else int(megabytes * 1_000_000)

    def upload_megabytes(self) -> float:
        """The largest upload."""
        if self.upload_mb is not None:
            return self.upload_mb
        return 100.0 if self.is_public() else 500.0

    def breaks_control_tokens(self) -> bool:
        """Whether control tokens in typed text are broken up before sending."""
        if self.break_control_tokens is not None:
            return self.break_control_tokens
        return self.is_public()

    def data_path(self, mount: Path = MOUNT) -> Path:
        """The folder for what is kept between visits; `mount` is where a Space has its bucket."""
        bucket = None if "data_folder" in self.model_fields_set else bucket_folder(mount)
        return bucket or PROJECT / self.data_folder.expanduser()

    def case_bytes(self) -> int:
        """The most bytes of one import of case files, unpacked."""
        megabytes = self.case_mb or (50.0 if self.is_public() else 200.0)
        return int(megabytes * 1_000_000)

    def days_kept(self) -> float | None:
        """Days that a chat is kept after its last change, or None for ever."""
        if self.keep_days is not None:
            return self.keep_days
        return 30.0 if self.is_public() else None

    def chats_bytes(self) -> int | None:
        """Bytes of text that all chats together may take, or None for no cap."""
        if self.chats_mb is not None:
            return int(self.chats_mb * 1_000_000)
        return 2_000_000_000 if self.is_public() else None


def load_settings() -> Settings:
    """The settings of this process.

    Raises SettingsError naming each variable that cannot be used, without its value, or a `.env`
    that cannot be read.
    """
    try:
        return Settings()
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        raise SettingsError(f"These settings cannot be used: {wrong}.") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{PROJECT / '.env'} is not UTF-8 text: save it as UTF-8.") from None
    except OSError as error:
        raise SettingsError(f"{error.filename} cannot be read: {error.strerror}.") from None


def compatible_connection(base_url: str, settings: Settings) -> Connection:
    """A server named on the command line, in place of what is configured.

    Only OPENAI_API_KEY goes with it: BASETEN_API_KEY never goes to an address of another.
    """
    return compatible(base_url, settings.openai_api_key)
