"""Guardrails and an audit log for the official clients of AI providers.

    from openai import OpenAI
    from weir_sdk import weir

    client = weir(OpenAI())
"""

from . import types
from ._api import AsyncWeirApi, WeirApi
from ._api_calls import CallAnswer, CallVerdict
from ._api_download import AsyncDownload, Download
from ._config import WeirOptions
from ._context import weir_context
from ._errors import ToolBlocked, WeirApiError, WeirConfigError, WeirConnectionError, WeirError
from ._genai import weir_genai_http_options
from ._litellm import weir_litellm
from ._outcome import WeirOutcome, is_blocked, weir_of
from ._tools import tool
from ._version import VERSION as __version__
from ._weir import AsyncWeir, Weir, weir, weir_http_client, weir_transport

__all__ = [
    "AsyncDownload",
    "AsyncWeir",
    "AsyncWeirApi",
    "CallAnswer",
    "CallVerdict",
    "Download",
    "ToolBlocked",
    "Weir",
    "WeirApi",
    "WeirApiError",
    "WeirConfigError",
    "WeirConnectionError",
    "WeirError",
    "WeirOptions",
    "WeirOutcome",
    "__version__",
    "is_blocked",
    "tool",
    "types",
    "weir",
    "weir_context",
    "weir_genai_http_options",
    "weir_http_client",
    "weir_litellm",
    "weir_of",
    "weir_transport",
]
