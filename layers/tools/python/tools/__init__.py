"""The tools of this server, in the order in which clients list them."""

from tools.greet import greet
from tools.remind_me import remind_me

TOOLS = [greet, remind_me]
