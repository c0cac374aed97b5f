"""Any JSON value, for the tests that hold for all."""

from __future__ import annotations

from hypothesis import strategies as st


def characters() -> st.SearchStrategy[str]:
    """Texts of all characters, halves of surrogate pairs too; those that matter often."""
    odd = st.sampled_from("'\"\\$`!{}\n\r\t\x00\x7f\x85\u2028\u202e\ud83d\ude00\U0001f600é")
    return st.text(odd | st.characters(exclude_categories=()))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | characters(),
    lambda inner: st.lists(inner) | st.dictionaries(characters(), inner),
    max_leaves=10,
)
