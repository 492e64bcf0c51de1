"""Secrets in the tables, under keys that are elsewhere."""

import pytest

from dibs.errors import BadInput
from dibs.kit.encryption.secret import Secret
from dibs.storage.encryption.vault import Vault

OLD, NEW = Secret("o" * 32), Secret("n" * 32)


def vault(*keys):
    return Vault(keys, variable="SOME_KEYS")


def test_what_is_sealed_is_opened_at_its_place_only():
    sealed = vault(NEW).seal(b"marker", "acme", "1")
    assert vault(NEW).open(sealed, "acme", "1") == b"marker"
    assert "marker" not in sealed
    for place in (("globex", "1"), ("acme", "2")):
        with pytest.raises(BadInput, match="moved from another place"):
            vault(NEW).open(sealed, *place)


def test_a_changed_letter_does_not_open():
    sealed = vault(NEW).seal(b"marker", "acme")
    changed = sealed[:-6] + ("A" if sealed[-6] != "A" else "B") + sealed[-5:]
    with pytest.raises(BadInput):
        vault(NEW).open(changed, "acme")


def test_a_new_key_is_put_in_front_and_the_old_one_still_opens():
    sealed = vault(OLD).seal(b"marker", "acme")
    both = vault(NEW, OLD)
    assert both.open(sealed, "acme") == b"marker"
    assert vault(NEW).open(both.seal(b"x", "acme"), "acme") == b"x"


def test_a_key_that_is_gone_is_named():
    with pytest.raises(BadInput, match=r"which is not set\. Add it to the others in SOME_KEYS"):
        vault(NEW).open(vault(OLD).seal(b"marker", "acme"), "acme")


def test_without_a_key_nothing_is_sealed():
    with pytest.raises(BadInput, match="Set SOME_KEYS"):
        vault().seal(b"marker", "acme")


def test_a_short_key_is_refused():
    with pytest.raises(BadInput, match="has 5 characters"):
        vault(Secret("short"))
