# SPDX-License-Identifier: GPL-2.0-only
"""Running the programs of tests/programs that make many objects (many_*.c). Shared by bench/scale and bench/instructions."""
import subprocess

from perftest import Failed, progress

STEP_LIMIT = 3600


class Program:
    """One of tests/programs that prints `NAME VALUE`..., and `ready` if it waits."""

    def __init__(self, *argv):
        self.argv, self.said = argv, ""
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def fail(self, what):
        self.process.kill()
        raise Failed(f"{' '.join(self.argv)}: {what}\n{self.said.rstrip()}")

    def ready(self):
        for line in self.process.stdout:
            self.said += line
            if line.strip() == "ready":
                return
        self.fail(f"status {self.process.wait()} before it was ready")

    def end(self):
        """{name: value}"""
        self.said += self.process.communicate(timeout=STEP_LIMIT)[0]
        if self.process.returncode:
            self.fail(f"status {self.process.returncode}")
        words = [word for word in self.said.split() if word != "ready"]
        return dict(zip(words[::2], map(int, words[1::2])))


def start_all(commands):
    """Starts these commands, one when the one before is ready."""
    started = []
    for argv in commands:
        progress(f"beside it: {' '.join(argv)}")
        try:
            started.append(Program(*argv))
            started[-1].ready()
        except Failed:
            kill_all(started)
            raise
    return started


def stop_all(started):
    for program in started:
        program.process.terminate()
    for program in started:
        program.end()


def kill_all(started):
    for program in started:
        program.process.kill()
        program.process.wait()
