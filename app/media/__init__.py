"""Pictures and clips: opened within limits, turned upright, shrunk and encoded."""

from __future__ import annotations

from app.media.data_urls import data_url, from_data_url
from app.media.limits import ImageLimits, MediaLimits, VideoLimits
from app.media.prepare import prepare
from app.media.prepared import MediaRefused, PreparedMedia
from app.media.sniff import sniff_kind
from app.media.wish import ClipFacts, ClipWish

__all__ = [
    "ClipFacts",
    "ClipWish",
    "ImageLimits",
    "MediaLimits",
    "MediaRefused",
    "PreparedMedia",
    "VideoLimits",
    "data_url",
    "from_data_url",
    "prepare",
    "sniff_kind",
]
