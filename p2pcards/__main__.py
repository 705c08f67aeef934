"""`python -m p2pcards`: the command line without the console command's script."""

import sys


def main() -> int:
    """Run the command line on `sys.argv`; the answer is the exit code."""
    # Imported only here: a worker process that imports the main module again stays light.
    from p2pcards.shells.cli import main as command_line

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
