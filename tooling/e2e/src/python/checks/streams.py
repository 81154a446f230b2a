"""Processes, logs and ports of a pod, through a kubelet."""

import socket
import threading

from kubernetes import client, watch
from kubernetes.stream import portforward, stream

from .expectations import NAMESPACE, equal

POD = "p"


def execute(core, command, **options):
    arguments = {"stdin": False, "stdout": True, "stderr": True, "tty": False, **options}
    return stream(core.connect_get_namespaced_pod_exec, POD, NAMESPACE, command=command, **arguments)


def check_exec_to_its_end(_api_client):
    core = client.CoreV1Api(client.ApiClient())
    equal(execute(core, ["echo", "a b", "~*"]), "a b ~*\n")


def check_exec_interactive(_api_client):
    core = client.CoreV1Api(client.ApiClient())
    channel = execute(core, ["sh", "-c", "read line; echo out $line; echo err $line >&2; exit 3"], stdin=True, _preload_content=False)
    channel.write_stdin("typed\n")
    channel.run_forever(timeout=20)
    equal([channel.read_stdout(), channel.read_stderr(), channel.returncode], ["out typed\n", "err typed\n", 3])
    channel.close()


def check_exec_of_much(_api_client):
    core = client.CoreV1Api(client.ApiClient())
    equal(len(execute(core, ["head", "-c", "3000000", "/dev/zero"])), 3_000_000)


def check_logs(api_client):
    core = client.CoreV1Api(api_client)
    lines = core.read_namespaced_pod_log(POD, NAMESPACE, tail_lines=2).splitlines()
    equal(lines, ["line two", "line three"])
    for line in watch.Watch().stream(core.read_namespaced_pod_log, POD, NAMESPACE, follow=True, tail_lines=1):
        equal(line, "line three")
        break


def check_port_forward(_api_client):
    """Connects to a port of the pod, which is a port of this machine."""
    core = client.CoreV1Api(client.ApiClient())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer():
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"heard " + connection.recv(100))

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        forward = portforward(core.connect_get_namespaced_pod_portforward, POD, NAMESPACE, ports=str(port))
        connection = forward.socket(port)
        connection.setblocking(True)
        connection.sendall(b"this")
        equal(connection.recv(100), b"heard this")
        connection.close()
        thread.join()
        equal(forward.error(port), None)
