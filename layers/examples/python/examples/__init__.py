"""Example tools, prompts and resources to copy from, in the order in which clients list them."""

from examples.dataset import dataset, look_into
from examples.greet import greet
from examples.profile_csv import profile_csv
from examples.publish_report import publish_report
from examples.refund import refund
from examples.remind_me import remind_me

TOOLS = [greet, profile_csv, publish_report, refund, remind_me]
PROMPTS = [look_into]
RESOURCES = [dataset]
