"""What programs that are ended by signals start with."""

import resource
import signal


def get_number(name):
    """That of a signal such as TERM."""
    return signal.Signals[f"SIG{name}"]


def reset_signals():
    """As in the foreground of a terminal, where none is ignored; and no file for what was in memory."""
    for name in ("HUP", "INT", "PIPE", "QUIT", "TERM"):
        signal.signal(get_number(name), signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
