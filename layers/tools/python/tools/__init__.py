"""The tools of this server: one file each, listed here in the order in which clients see them."""

from tools.greet import greet
from tools.profile_csv import profile_csv
from tools.remind_me import remind_me

TOOLS = [greet, profile_csv, remind_me]
