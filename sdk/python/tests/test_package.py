"""The package as published: built, installed into an empty environment, used as in the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from support.servers import ProviderLike, WeirLike

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("dist")
    # The build backend is already installed, in the version that pyproject.toml requires.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(into), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return into


def test_wheel_and_source_archive_contain_licence_and_documentation(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    [sdist] = built.glob("*.tar.gz")
    in_wheel = zipfile.ZipFile(wheel).namelist()
    assert {"weir_sdk/py.typed", "weir_sdk/__init__.py", "weir_sdk/CHANGELOG.md"} <= set(in_wheel)
    assert any(name.endswith("LICENSE") for name in in_wheel) and not any("tests" in name for name in in_wheel)
    in_sdist = {name.partition("/")[2] for name in tarfile.open(sdist).getnames()}
    assert {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "src/weir_sdk/py.typed"} <= in_sdist
    metadata = zipfile.ZipFile(wheel).read(next(name for name in in_wheel if name.endswith("METADATA"))).decode()
    assert "Requires-Dist" not in metadata and "weir-sdk" in metadata and "Guardrails and an audit log" in metadata


def test_the_licence_equals_that_of_the_repository() -> None:
    assert (ROOT / "LICENSE").read_text() == (ROOT.parents[1] / "LICENSE").read_text()


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_the_readmes_example_runs_in_an_empty_environment(
    kind: str, built: Path, tmp_path: Path, door: WeirLike, provider: ProviderLike
) -> None:
    [example] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(example.strip().splitlines()) < 15
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    [artefact] = built.glob(kind)
    installed = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(artefact)]
    installed.append(f"openai=={version('openai')}")
    done = subprocess.run(installed, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    env = {**os.environ, "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{provider.url}/v1"}
    ran = subprocess.run([str(python), "-c", example], env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Hello there WeirOutcome(event_id=") and len(door.answers()) == 1
    ran = subprocess.run([str(python), "-c", example.replace("Hello", "BLOCK")], env=env, capture_output=True, text=True)
    assert "refused by a rule: True" in ran.stdout
