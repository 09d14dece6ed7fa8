"""Progress survives whatever is in its file, and two editors at once."""

from pathlib import Path

import pytest

from torchwise.lessons.progress import CannotNote, note, noted


def test_what_was_noted_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "data" / "progress.json"
    assert noted(path).lessons == {}
    note(path, "02-tensors/views", read="strides")
    note(path, "02-tensors/views", read="strides")
    note(path, "03-autograd/graphs", done=True)
    known = noted(path)
    assert known.of("02-tensors/views").read == ["strides"] and not known.of("02-tensors/views").done
    assert known.of("03-autograd/graphs").done
    note(path, "03-autograd/graphs", done=False)
    assert not noted(path).of("03-autograd/graphs").done


def test_asking_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    note(path, "02-tensors/views")
    assert not path.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"lessons": 3}', "\x00"])
def test_a_damaged_file_is_set_aside(tmp_path: Path, text: str) -> None:
    path = tmp_path / "progress.json"
    path.write_text(text)
    note(path, "02-tensors/views", done=True)
    assert path.with_suffix(".unreadable").read_text() == text
    assert noted(path).of("02-tensors/views").done


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotNote, match="cannot be"):
        note(tmp_path / "file" / "progress.json", "02-tensors/views", done=True)
