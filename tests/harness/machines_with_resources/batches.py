"""A Map over batches, which moto cannot read."""

from aws_cdk.aws_stepfunctions import DistributedMap, IChainable, ItemBatcher, Pass, ProvideItems, QueryLanguage
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return the Map."""
    items = ProvideItems.jsonata("{% [1..4] %}")
    batches = ItemBatcher(max_items_per_batch=2)
    each = DistributedMap(scope, "Each", query_language=QueryLanguage.JSONATA, items=items, item_batcher=batches)
    return each.item_processor(Pass.jsonata(scope, "Nothing"))
