"""What the emulator gets wrong about the streams of tables."""

import time

from ministack.services import lambda_svc


def poll_streams():
    """Look for records four times a second, as Lambda does; the emulator does at each write.

    Otherwise no record would find the mark of a start that its request is about to write.
    """
    poll = lambda_svc._poll_dynamodb_streams

    def later():
        time.sleep(0.25)
        return poll()

    lambda_svc._poll_dynamodb_streams = later
