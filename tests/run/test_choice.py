"""What names a device, and what a kernel is shown of the machine."""

from __future__ import annotations

import pytest

from torchwise.run.choice import BadChoice, Choice, choice, visible


@pytest.mark.parametrize(
    ("text", "device", "inside"),
    [
        ("cpu", "cpu", "cpu"),
        ("CUDA", "cuda:0", "cuda:0"),
        ("cuda:3", "cuda:3", "cuda:0"),
        ("mps", "mps", "mps"),
    ],
)
def test_a_device_is_named_as_torch_does(text: str, device: str, inside: str) -> None:
    """In its kernel it is the only one of its kind."""
    assert (choice(text).device, choice(text).inside) == (device, inside)


@pytest.mark.parametrize(
    "text", ["gpu", "cuda:-1", "cuda:x", "cpu:1", "", "ftp://host", "http://", "http://[x"]
)
def test_what_names_no_place_is_refused(text: str) -> None:
    with pytest.raises(BadChoice):
        choice(text)


@pytest.mark.parametrize(
    ("text", "url", "device"),
    [
        ("http://localhost:8888", "http://localhost:8888", "cpu"),
        ("https://host/user/ann/lab/tree/a.ipynb?x=1", "https://host/user/ann", "cpu"),
        ("https://host:8888/#cuda:1", "https://host:8888", "cuda:1"),
    ],
)
def test_a_server_is_named_by_any_of_its_pages(text: str, url: str, device: str) -> None:
    assert (choice(text).url, choice(text).device) == (url, device)


@pytest.mark.parametrize(
    "text", ["http://host/?token=t0p", "http://ann:t0p@host", "http://host/?a=1&password=t0p"]
)
def test_a_token_in_an_address_is_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(BadChoice) as refused:
        choice(text)
    assert "t0p" not in str(refused.value)


def test_a_cpu_kernel_sees_no_cuda_device() -> None:
    assert visible(choice("cpu"), {"CUDA_VISIBLE_DEVICES": "0,1"}) == {"CUDA_VISIBLE_DEVICES": ""}


def test_a_cuda_kernel_sees_exactly_its_own() -> None:
    assert visible(choice("cuda:2"), {})["CUDA_VISIBLE_DEVICES"] == "2"


def test_an_index_counts_what_is_visible_already() -> None:
    assert (
        visible(choice("cuda:1"), {"CUDA_VISIBLE_DEVICES": "5, GPU-abc"})["CUDA_VISIBLE_DEVICES"] == "GPU-abc"
    )


def test_a_place_is_shown_as_it_is_written() -> None:
    assert str(Choice("cuda", 1, "https://host")) == "https://host#cuda:1"
    assert choice(str(Choice("cuda", 1, "https://host"))) == Choice("cuda", 1, "https://host")
