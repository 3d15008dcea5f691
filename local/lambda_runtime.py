"""Lambda's runtime client, for the functions of the local stack: what tools print are log records with tool and task.

On AWS it stays as it was printed, since it may be a record already, or metrics in the embedded format.
"""

import json
import sys

from awslambdaric.__main__ import main

from local.tool_output import Printed

if __name__ == "__main__":
    sys.stdout, sys.stderr = Printed(sys.stdout, json.dumps), Printed(sys.stderr, json.dumps)
    main(sys.argv)
