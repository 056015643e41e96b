"""Clients for Anthropic's models at Bedrock and Vertex, pointed at a simulated provider."""

from __future__ import annotations

from typing import Any

import anthropic


def bedrock(is_async: bool = False, **options: Any) -> Any:
    options.pop("api_key", None)
    made = anthropic.AsyncAnthropicBedrock if is_async else anthropic.AnthropicBedrock
    return made(aws_access_key="AKIDEXAMPLE", aws_secret_key="not-a-secret", aws_region="eu-central-1", **options)


def vertex(is_async: bool = False, **options: Any) -> Any:
    options.pop("api_key", None)
    made = anthropic.AsyncAnthropicVertex if is_async else anthropic.AnthropicVertex
    return made(region="europe-west1", project_id="project", access_token="not-a-secret", **options)


MAKERS: dict[str, Any] = {
    "AnthropicBedrock": lambda **options: bedrock(**options),
    "AsyncAnthropicBedrock": lambda **options: bedrock(True, **options),
    "AnthropicVertex": lambda **options: vertex(**options),
    "AsyncAnthropicVertex": lambda **options: vertex(True, **options),
}
