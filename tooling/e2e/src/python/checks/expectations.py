import contextlib
import json

from kubernetes.client.exceptions import ApiException

NAMESPACE = "default"


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"{actual!r} is not {expected!r}")


@contextlib.contextmanager
def refused(code, reason, message=""):
    """Expects the block to raise an ApiException whose body is a Status with these values."""
    try:
        yield
    except ApiException as error:
        equal(error.status, code)
        status = json.loads(error.body)
        equal([status["kind"], status["status"], status["code"], status["reason"]], ["Status", "Failure", code, reason])
        if message not in status["message"]:
            raise AssertionError(f"{status['message']!r} does not say {message!r}") from error
        return
    raise AssertionError(f"was not refused with {code} {reason}")
