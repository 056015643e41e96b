"""Two strict type checkers, and their errors in examples."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def checked(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)


def checked_examples(folder: Path, examples: list[str]) -> str:
    """The errors that both checkers report in the examples; empty if there are none."""
    names = [f"example_{index}.py" for index in range(len(examples))]
    for name, text in zip(names, examples):
        (folder / name).write_text(text)
    files = [str(folder / name) for name in names]
    done = [checked("mypy", "--strict", *files), checked("pyright", "--pythonpath", sys.executable, *files)]
    return "".join(each.stdout for each in done if each.returncode != 0)
