"""The last gate before the page: only inert HTML passes, whatever the renderer produced."""

from __future__ import annotations

import nh3

# fmt: off
_MATHML = frozenset({
    "math", "menclose", "merror", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded",
    "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub",
    "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
})
_MARKDOWN = frozenset({
    "a", "blockquote", "br", "code", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr",
    "ul",
})
_MATHML_ATTRIBUTES = frozenset({
    "accent", "accentunder", "class", "columnspan", "depth", "display", "displaystyle", "fence",
    "form", "height", "largeop", "linethickness", "lspace", "mathvariant", "maxsize", "minsize",
    "movablelimits", "notation", "rowspan", "rspace", "scriptlevel", "separator", "stretchy",
    "style", "symmetric", "voffset", "width",
})
# fmt: on
ALLOWED_TAGS = _MARKDOWN | _MATHML
ALLOWED_ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href", "title"},
    "code": {"class"},
    "div": {"aria-label", "class", "dir", "role", "tabindex"},
    "ol": {"dir", "start"},
    "pre": {"class", "dir"},
    "span": {"class"},
    "td": {"style"},
    "th": {"style"},
    **{
        tag: {"dir"}
        for tag in ("blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "p", "table", "ul")
    },
    **{tag: set(_MATHML_ATTRIBUTES) for tag in _MATHML},
}
ALLOWED_SCHEMES = frozenset({"http", "https", "mailto"})
ALLOWED_STYLES = frozenset(
    {"color", "justify-items", "padding-left", "padding-right", "text-align"}
)
LINK_RELATION = "noopener noreferrer nofollow"

_cleaner = nh3.Cleaner(
    tags=ALLOWED_TAGS,
    attributes=ALLOWED_ATTRIBUTES,
    clean_content_tags={"script", "style"},
    url_schemes=ALLOWED_SCHEMES,
    url_relative="deny",
    filter_style_properties=ALLOWED_STYLES,
    link_rel=LINK_RELATION,
    set_tag_attribute_values={"a": {"target": "_blank"}},
)


def sanitise(html: str) -> str:
    """The same HTML without anything active: tags, attributes, schemes and styles not allowed go.

    Links open in a tab of their own and tell the site they lead to nothing; relative ones, and
    those without a scheme (`//host/path`), lose their address.
    """
    return _cleaner.clean(html)
