"""The page of somebody who may not come in: what this is, and the way to sign in or out."""

from __future__ import annotations

from html import escape

from app.turns.errors import Refusal
from app.ui.own_files import OWN
from app.ui.texts import text, word


def locked_page(sign_in: str, path: str, *, refusal: Refusal) -> str:
    """The page as HTML; `path` is where it is shown, `sign_in` "hugging_face" or "password".

    It is English until its script has put the reader's language in.
    """
    home = "../" * (path.count("/") - 1) or "./"
    return _PAGE.format(
        title=escape(text("header.product")),
        own=f"{home}{OWN}",
        what=word("locked.what"),
        more=_more(sign_in, home, refusal),
    )


def _more(sign_in: str, home: str, refusal: Refusal) -> str:
    """What is to be done."""
    if refusal.code == "sign_in_required":
        return _FORM if sign_in == "password" else _hugging_face(home)
    if refusal.code == "not_invited":
        name = escape(refusal.values["name"])
        return (
            f'<p class="note" role="alert">{word("locked.not_invited")}</p>'
            f'<p class="name" dir="auto">{name}</p>'
            f'<a class="button" href="{home}logout">{word("locked.sign_out")}</a>'
        )
    said = escape(f"{refusal.message} {refusal.remedy}".strip())
    return f'<p class="note" role="alert">{said}</p>'


def _hugging_face(home: str) -> str:
    return (
        f'<p class="note">{word("locked.hugging_face")}</p>'
        f'<a class="button" id="sign-in" href="{home}login/huggingface">'
        f"{word('locked.sign_in_with')}</a>"
    )


_FORM = (
    # Until the script is there, what is sent waits for it: the answer is not made for readers.
    '<form id="sign-in" method="post" action="login" '
    'onsubmit="this.dataset.waits = true; return false">'
    f'<label>{word("locked.name")}<input name="username" autocomplete="username" '
    'autocapitalize="none" spellcheck="false" required></label>'
    f'<label>{word("locked.password")}<input name="password" type="password" '
    'autocomplete="current-password" required></label>'
    '<p class="wrong" id="wrong" role="alert"></p>'
    f'<button class="button">{word("locked.sign_in")}</button></form>'
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>{title}</title>
<link rel="icon" type="image/svg+xml" href="{own}/favicon.svg">
<link rel="stylesheet" href="{own}/css/locked.css">
<script type="module" src="{own}/js/locked.mjs"></script>
</head>
<body>
<main>
<img src="{own}/favicon.svg" alt="" width="56" height="56">
<h1>{title}</h1>
<p>{what}</p>
{more}
</main>
</body>
</html>
"""
