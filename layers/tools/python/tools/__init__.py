"""The tools, prompts and resources of this server, in the order in which clients list them."""

from tools.dataset import dataset, look_into
from tools.greet import greet
from tools.profile_csv import profile_csv
from tools.publish_report import publish_report
from tools.remind_me import remind_me

TOOLS = [greet, profile_csv, publish_report, remind_me]
PROMPTS = [look_into]
RESOURCES = [dataset]
