"""What a receiver takes, and what it refuses."""

import hmac
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta

import pytest

import dibs
from dibs.services.webhooks.signing import SIGNATURE, TIMESTAMP, make_secret, sign, write_headers

NOW = datetime(2027, 1, 31, 12, tzinfo=UTC)
BODY = b'{"type":"job.finished","data":{"job_id":"1"}}'
SECRET, OTHER = make_secret(), make_secret()


def refuse(body=BODY, headers=None, secrets=SECRET, now=NOW, **more):
    headers = write_headers([SECRET], "msg_1", NOW, BODY) if headers is None else headers
    with pytest.raises(dibs.WebhookRefused) as refused:
        dibs.verify_webhook(body, headers, secrets, now=now, **more)
    return refused.value.code


def test_a_signed_message_is_taken_whatever_the_case_of_its_headers():
    headers = {name.title(): value for name, value in write_headers([SECRET], "msg_1", NOW, BODY).items()}
    assert dibs.verify_webhook(BODY, headers, SECRET, now=NOW) == "msg_1"


def test_the_signature_is_that_of_the_specification():
    # The example of the Standard Webhooks specification's own libraries.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body) == expected


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_" + b64encode(b"k" * 23).decode()])
def test_who_forgot_to_set_the_secret_takes_nothing_that_anybody_can_sign(secret):
    key = b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"msg_1.{int(NOW.timestamp())}.".encode() + BODY, "sha256")
    headers = {**write_headers([SECRET], "msg_1", NOW, BODY), SIGNATURE: f"v1,{b64encode(digest).decode()}"}
    assert refuse(headers=headers, secrets=secret) == "secret"
    assert refuse(headers=headers, secrets=[SECRET, secret]) == "secret"


@pytest.mark.parametrize("index", range(0, len(BODY), 7))
def test_a_changed_byte_is_refused(index):
    changed = bytearray(BODY)
    changed[index] ^= 1
    assert refuse(body=bytes(changed)) == "signature"


def test_the_same_json_in_another_order_is_refused():
    assert refuse(body=b'{"data":{"job_id":"1"},"type":"job.finished"}') == "signature"


@pytest.mark.parametrize("name", ["webhook-id", TIMESTAMP])
def test_a_changed_header_is_refused(name):
    headers = write_headers([SECRET], "msg_1", NOW, BODY)
    assert refuse(headers={**headers, name: headers[name] + "1"}) == "signature"


@pytest.mark.parametrize("span", [timedelta(minutes=6), timedelta(minutes=-6)])
def test_an_old_message_is_refused_and_one_from_the_future(span):
    assert refuse(now=NOW + span) == "time"


def test_a_replay_is_refused_for_as_long_as_the_message_would_be_taken():
    seen, headers = dibs.SeenIds(), write_headers([SECRET], "msg_1", NOW, BODY)
    early = NOW - timedelta(minutes=4)
    dibs.verify_webhook(BODY, headers, SECRET, now=early, seen=seen)
    assert refuse(headers=headers, now=NOW + timedelta(minutes=5), seen=seen) == "replay"


def test_a_forged_message_does_not_use_up_an_id():
    seen = dibs.SeenIds()
    assert refuse(body=b"forged", seen=seen) == "signature"
    assert dibs.verify_webhook(BODY, write_headers([SECRET], "msg_1", NOW, BODY), SECRET, now=NOW, seen=seen)


def test_the_signature_of_another_key_is_refused():
    assert refuse(secrets=OTHER) == "signature"


def test_while_two_keys_are_valid_a_receiver_with_either_takes_it():
    headers = write_headers([OTHER, SECRET], "msg_1", NOW, BODY)
    for secrets in (SECRET, OTHER, [OTHER, SECRET]):
        assert dibs.verify_webhook(BODY, headers, secrets, now=NOW) == "msg_1"


@pytest.mark.parametrize("name", ["webhook-id", TIMESTAMP, SIGNATURE])
def test_a_missing_header_is_refused(name):
    headers = write_headers([SECRET], "msg_1", NOW, BODY)
    del headers[name]
    assert refuse(headers=headers) == "headers"


@pytest.mark.parametrize("text", ["soon", "-1", "1e9", "٣", "9" * 40])
def test_a_time_that_is_no_number_is_refused(text):
    assert refuse(headers={**write_headers([SECRET], "msg_1", NOW, BODY), TIMESTAMP: text}) == "headers"


def test_no_secret_at_all_lets_nothing_in():
    assert refuse(secrets=[]) == "signature"
