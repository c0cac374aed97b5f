"""What leaves the playground: a turn's request as code that runs, a chat as a document or a case.

A case is also read back, from wherever it comes. All of it is text and bytes made from values;
nothing here knows a key, a disk or a socket.
"""

from app.export.curl_code import curl_code
from app.export.markdown import chat_markdown
from app.export.python_code import python_code
from app.export.request_body import elided

__all__ = ["chat_markdown", "curl_code", "elided", "python_code"]
