"""The examples of the guides, and a function that runs them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[4]


def examples(path: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (REPOSITORY / path).read_text(), re.DOTALL)


GUIDE = examples("docs/guides/sdk-python.md")
#: Three each of LangChain, OpenAI Agents and LiteLLM.
FRAMEWORKS = examples("docs/guides/sdk-python-frameworks.md")
LANGCHAIN, AGENTS, LITELLM = FRAMEWORKS[:3], FRAMEWORKS[3:6], FRAMEWORKS[6:]
README = examples("sdk/python/README.md")
#: The guides' e-mail address, and the one that the simulated Weir masks.
ADDRESS, CANARY = "ada@example.com", "alice.canary@example.com"


def run(example: str) -> None:
    own: dict[str, Any] = {"__name__": "__main__"}
    # Frameworks read the type hints of functions in the source.
    exec(compile(example.replace(ADDRESS, CANARY), "guide", "exec"), own)  # noqa: S102
