import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefold.store.cursors import CURSOR_MAX_LENGTH, Sealer
from tablefold.store.errors import CursorInvalid

OLD = (1, b"an old secret, long enough")
NEW = (2, b"a new secret, long enough")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
SEALER = Sealer([NEW, OLD])


@given(payload=st.binary(min_size=1, max_size=200), context=st.binary(max_size=50))
def test_what_was_sealed_opens(payload: bytes, context: bytes):
    text = SEALER.seal(payload, context)
    assert SEALER.open(text, context) == payload
    assert set(text) <= set(ALPHABET)


def test_equal_positions_give_equal_cursors():
    assert Sealer([NEW]).seal(b"position", b"list") == Sealer([NEW, OLD]).seal(b"position", b"list")


@pytest.mark.parametrize("payload", [b"p", b"po", b"pos"])
def test_every_flipped_bit_is_refused(payload: bytes):
    text = SEALER.seal(payload, b"list")
    for place, character in enumerate(text):
        for other in ALPHABET:
            if other != character:
                with pytest.raises(CursorInvalid):
                    SEALER.open(text[:place] + other + text[place + 1 :], b"list")


def test_every_cut_is_refused():
    text = SEALER.seal(b"position", b"list")
    for length in range(len(text)):
        with pytest.raises(CursorInvalid):
            SEALER.open(text[:length], b"list")


@pytest.mark.parametrize(
    "spoil", ["{}=", "{}==", " {}", "{}\n", "{}A", "{}é", "é", "%", "=", "\x00"]
)
def test_other_spellings_are_refused(spoil: str):
    with pytest.raises(CursorInvalid):
        SEALER.open(spoil.format(SEALER.seal(b"position", b"list")), b"list")


@given(text=st.text(max_size=80))
def test_arbitrary_text_is_refused(text: str):
    with pytest.raises(CursorInvalid):
        SEALER.open(text, b"list")


def test_another_context_is_refused():
    with pytest.raises(CursorInvalid):
        SEALER.open(SEALER.seal(b"position", b"list"), b"other list")


def test_text_beyond_the_greatest_length_is_refused():
    with pytest.raises(CursorInvalid):
        SEALER.open("A" * (CURSOR_MAX_LENGTH + 1), b"list")


def test_the_longest_keys_fit():
    payload = b"k" * 2 * (2048 + 1024)
    text = SEALER.seal(payload, b"list")
    assert SEALER.open(text, b"list") == payload


def test_an_old_secret_opens_until_it_is_dropped():
    text = Sealer([OLD]).seal(b"position", b"list")
    assert Sealer([NEW, OLD]).open(text, b"list") == b"position"
    with pytest.raises(CursorInvalid):
        Sealer([NEW]).open(text, b"list")


def test_the_refusal_does_not_tell_what_was_wrong():
    messages: set[str] = set()
    for text in ("", "A" * 30, SEALER.seal(b"x", b"other")):
        with pytest.raises(CursorInvalid) as caught:
            SEALER.open(text, b"list")
        messages.add(str(caught.value))
    assert len(messages) == 1
    assert caught.value.code == "CURSOR_INVALID"


def test_a_setting_names_its_secrets_the_sealing_one_first():
    sealer = Sealer.parse("2:a new secret: long enough, 1:an old secret. long enough")
    old = Sealer([(1, b"an old secret. long enough")]).seal(b"position", b"list")
    new = Sealer([(2, b"a new secret: long enough")]).seal(b"position", b"list")
    assert sealer.seal(b"position", b"list") == new
    assert sealer.open(old, b"list") == b"position"


@pytest.mark.parametrize("text", ["", "secret", "x:secret", "1:short", "256:" + "s" * 20])
def test_a_setting_that_holds_no_secret_is_an_error(text: str):
    with pytest.raises(ValueError, match=r"secret|Key id"):
        Sealer.parse(text)


def test_key_ids_are_unique():
    with pytest.raises(ValueError, match="unique"):
        Sealer([NEW, NEW])


def test_ephemeral_sealers_do_not_open_each_others_cursors():
    with pytest.raises(CursorInvalid):
        Sealer.ephemeral().open(Sealer.ephemeral().seal(b"p", b"c"), b"c")
