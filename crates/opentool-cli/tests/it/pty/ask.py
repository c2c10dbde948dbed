"""Presses Ctrl-C at a question of `opentool ask` at a pseudo terminal: nothing runs, and the terminal is as it was."""

import json
import os
import pty
import select
import socket
import sys
import termios
import threading
import time

CALLS = [("placeOrder", {"petId": 2}), ("placeOrder", {"petId": 3})]


def answer(calls):
    calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode()


def listen(reply):
    """A server on loopback that counts its connections and gives each this reply."""
    server = socket.create_server(("127.0.0.1", 0))
    asked = []

    def serve():
        while True:
            connection, _ = server.accept()
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            asked.append(head.split(b"\r\n", 1)[0])
            length = f"content-length: {len(reply)}\r\nconnection: close\r\n"
            connection.sendall(f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{length}\r\n".encode() + reply)
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{server.getsockname()[1]}", asked


model, questions = listen(answer(CALLS))
shop, orders = listen(b"{}")
saved = os.path.join(os.getcwd(), "talk.json")
main, terminal = pty.openpty()
before = termios.tcgetattr(terminal)
child = os.fork()
if child == 0:
    os.close(main)
    os.setsid()
    for number in (0, 1, 2):
        os.dup2(terminal, number)
    os.environ.update(TERM="xterm", OPENAI_BASE_URL=f"{model}/v1")
    words = ["ask", sys.argv[2], "Reserve pets 2 and 3.", "--server", shop, "--save", saved]
    os.execv(sys.argv[1], [sys.argv[1], *words])

screen = b""
started = time.monotonic()
# Keys that come while a prompt is being set up may get lost: they are sent until something happens.
for question, keys in [(b"petId: 2", b"yes\r"), (b"petId: 3", b"\x03")]:
    again = 0
    done = {b"yes\r": b"petId: 3", b"\x03": b"stopped: "}[keys]
    while done not in screen:
        if time.monotonic() > started + 60:
            sys.exit(f"no {done!r} on the screen: {screen!r}")
        if question in screen and b"run it?" in screen and time.monotonic() > again:
            again = time.monotonic() + 5
            os.write(main, keys)
        if select.select([main], [], [], 0.2)[0]:
            screen += os.read(main, 65536)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 130, (status, screen)
assert b"nothing was run that you were asked about" in screen, screen
assert len(questions) == 1 and not orders, (questions, orders)
assert termios.tcgetattr(terminal) == before, "the terminal is not as it was"
conversation = json.load(open(saved))
assert len(conversation) == 2, conversation
