"""Checks a server with the `kubernetes` package: `main.py KUBECONFIG GROUP...`, where a group is a module of `checks`."""

import importlib
import signal
import sys

from kubernetes import client, config

SECONDS_FOR_ONE = 60


def too_slow(_signal, _frame):
    raise TimeoutError(f"not done within {SECONDS_FOR_ONE} s")


def run(group, api_client):
    """Runs the `check_...` functions of a module in order. Returns the number of failures."""
    failed = 0
    module = importlib.import_module(f"checks.{group}")
    for name, check in list(vars(module).items()):
        if not name.startswith("check_"):
            continue
        title = f"{group}/{name.removeprefix('check_').replace('_', '-')}"
        signal.alarm(SECONDS_FOR_ONE)
        try:
            check(api_client)
            print(f"ok {title}", flush=True)
        except Exception as error:  # noqa: BLE001: any exception fails the check.
            failed += 1
            why = " ".join(f"{type(error).__name__} {error}".split())
            line = error.__traceback__.tb_next.tb_lineno if error.__traceback__.tb_next else 0
            print(f"FAIL {title}: line {line}: {why[:2000]}", flush=True)
        finally:
            signal.alarm(0)
    return failed


def main(kubeconfig, groups):
    signal.signal(signal.SIGALRM, too_slow)
    config.load_kube_config(kubeconfig)
    api_client = client.ApiClient()
    return 1 if sum(run(group, api_client) for group in groups) else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
