"""The construct for the function that runs the tools of tasks."""

from .function import TaskServerFunction
from .tenant_access import TenantAccess


class ToolFunction(TaskServerFunction):
    """Permits what `allow` adds to all runs, and to each what `per_tenant` adds of its caller's tenant's own."""

    per_tenant: TenantAccess
