"""The look of the page as a Gradio theme: one accent, quiet neutrals, fonts of the system."""

from __future__ import annotations

import gradio as gr
from gradio.themes.utils import colors, sizes


class _SystemFont(gr.themes.Font):
    """A font named as CSS wants it; Gradio would quote generic names such as system-ui."""

    def __str__(self) -> str:
        return str(self.name)


_ACCENT = colors.Color(
    name="ink",
    c50="#eff3fd",
    c100="#dfe7fb",
    c200="#c2d0f6",
    c300="#9db3f0",
    c400="#7791e6",
    c500="#5472db",
    c600="#3d5bcc",
    c700="#334cac",
    c800="#2d418c",
    c900="#28386f",
    c950="#1b2546",
)

_NEUTRAL = colors.Color(
    name="paper",
    c50="#fafafa",
    c100="#f4f4f5",
    c200="#e6e6e9",
    c300="#d4d4d9",
    c400="#9d9da6",
    c500="#6d6d77",
    c600="#52525c",
    c700="#3b3b43",
    c800="#29292f",
    c900="#1c1c20",
    c950="#141417",
)

_TEXT = sizes.Size(
    name="text_reading",
    xxs="11px",
    xs="12px",
    sm="13px",
    md="14px",
    lg="16px",
    xl="20px",
    xxl="24px",
)

_SPACING = sizes.Size(
    name="spacing_grid",
    xxs="2px",
    xs="4px",
    sm="4px",
    md="8px",
    lg="8px",
    xl="16px",
    xxl="16px",
)

_SANS = (
    "-apple-system",
    "BlinkMacSystemFont",
    '"Segoe UI"',
    "Roboto",
    '"Noto Sans"',
    "Ubuntu",
    "Cantarell",
    '"Helvetica Neue"',
    '"Liberation Sans"',
    "Arial",
    # Which of the Han typefaces is right hangs on the language: frame.css names it.
    "var(--font-han, sans-serif)",
    "sans-serif",
)
_MONO = (
    "ui-monospace",
    "SFMono-Regular",
    "Menlo",
    "Consolas",
    '"Liberation Mono"',
    "var(--font-han, monospace)",
    "monospace",
)


def _theme() -> gr.themes.Base:
    theme = gr.themes.Base(
        primary_hue=_ACCENT,
        secondary_hue=_ACCENT,
        neutral_hue=_NEUTRAL,
        text_size=_TEXT,
        spacing_size=_SPACING,
        radius_size=gr.themes.sizes.radius_lg,
        font=[_SystemFont(name) for name in _SANS],
        font_mono=[_SystemFont(name) for name in _MONO],
    )
    return theme.set(
        body_background_fill="white",
        body_background_fill_dark="*neutral_950",
        body_text_color="*neutral_900",
        body_text_color_dark="#ececef",
        body_text_color_subdued="*neutral_500",
        body_text_color_subdued_dark="#a3a3ad",
        background_fill_primary="white",
        background_fill_primary_dark="*neutral_900",
        background_fill_secondary="*neutral_100",
        background_fill_secondary_dark="*neutral_800",
        border_color_primary="*neutral_200",
        border_color_primary_dark="*neutral_700",
        border_color_accent="*primary_600",
        border_color_accent_dark="*primary_400",
        color_accent="*primary_600",
        color_accent_soft="*primary_50",
        color_accent_soft_dark="*primary_950",
        link_text_color="*primary_600",
        link_text_color_dark="*primary_300",
        link_text_color_hover="*primary_700",
        link_text_color_hover_dark="*primary_200",
        link_text_color_visited="*primary_700",
        link_text_color_visited_dark="*primary_300",
        link_text_color_active="*primary_700",
        link_text_color_active_dark="*primary_200",
        error_background_fill="#fdf1f0",
        error_background_fill_dark="#2c1a1b",
        error_border_color="#e8b4b0",
        error_border_color_dark="#6b3634",
        error_text_color="#a8271f",
        error_text_color_dark="#f5a8a2",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_border_width="0px",
        block_border_width_dark="0px",
        block_padding="0px",
        block_shadow="none",
        block_shadow_dark="none",
        block_label_background_fill="transparent",
        block_title_text_color="*neutral_800",
        block_title_text_color_dark="*neutral_200",
        block_title_text_weight="500",
        block_title_text_size="13px",
        block_info_text_color="*neutral_500",
        block_info_text_color_dark="#a3a3ad",
        block_info_text_size="12px",
        input_background_fill="white",
        input_background_fill_dark="*neutral_900",
        input_border_color="*neutral_300",
        input_border_color_dark="*neutral_700",
        input_border_color_focus="*primary_600",
        input_border_color_focus_dark="*primary_400",
        input_border_width="1px",
        input_radius="8px",
        input_shadow="none",
        input_shadow_focus="none",
        input_padding="8px 10px",
        input_text_size="14px",
        input_placeholder_color="*neutral_500",
        input_placeholder_color_dark="#8f8f99",
        slider_color="*primary_600",
        slider_color_dark="*primary_400",
        layout_gap="0px",
        form_gap_width="0px",
    )


THEME = _theme()
"""The one theme of the page; its variables colour everything, our own stylesheets included."""
