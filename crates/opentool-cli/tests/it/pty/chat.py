"""Types into `opentool chat` at a pseudo terminal, and looks at what comes back."""

import os
import pty
import select
import socket
import sys
import time

screen = b""


def wait_for(text, send=None, every=0.2):
    """Reads until `text` is on the screen; sends the keys again and again until then.

    Keys that come while a prompt is being set up may get lost.
    """
    global screen
    end = time.monotonic() + 60
    again = 0
    while text not in screen:
        if time.monotonic() > end:
            sys.exit(f"no {text!r} on the screen: {screen[-2000:]!r}")
        if send and time.monotonic() > again:
            again = time.monotonic() + every
            os.write(terminal, send)
        if select.select([terminal], [], [], 0.2)[0]:
            screen += os.read(terminal, 65536)
    screen = screen.split(text, 1)[1]


started = time.monotonic()
# A model that takes a question and never answers.
model = socket.create_server(("127.0.0.1", 0))
model.settimeout(10)
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{model.getsockname()[1]}/v1"
    os.execv(sys.argv[1], [sys.argv[1], "chat"])
wait_for(b"> ")
wait_for(b"Ctrl-C stops a turn", send=b"\x15/he\t\r", every=5)  # completed to /help
wait_for(b"> ")
question = None
while not question:
    os.write(terminal, b"\x15Hallx\x7fo\r")  # edited
    try:
        question, _ = model.accept()  # from here on Ctrl-C means the turn
    except TimeoutError:
        if time.monotonic() > started + 60:
            sys.exit(f"no question: {screen[-2000:]!r}")
wait_for(b"stopped", send=b"\x03")
wait_for(b"> ")
wait_for(b"Hallo", send=b"\x1b[A")  # the line before
end = time.monotonic() + 30
while True:
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        sys.exit(os.waitstatus_to_exitcode(status))
    if time.monotonic() > end:
        sys.exit(f"Ctrl-D does not end the chat: {screen[-2000:]!r}")
    try:
        os.write(terminal, b"\x15\x04")  # the line is given up, and so is the chat
        if select.select([terminal], [], [], 0.2)[0]:
            screen += os.read(terminal, 65536)
    except OSError:
        pass  # the terminal went with the chat
