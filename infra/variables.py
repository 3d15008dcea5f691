"""The environment variables of the functions, as `mcp_tasks.settings` reads them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.limits.waits import MAX_HOLD

from .existing_table import TableOfTasks
from .issuers import variables
from .payloads import PayloadBucket
from .server_settings import ServerSettings
from .tokens import Tokens
from .tool_isolation import SHARED
from .tools import Tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """The environment variables of each kind of function."""

    settings: ServerSettings
    issuers: Sequence[Tokens]
    tools: Tools
    table: TableOfTasks
    payloads: PayloadBucket
    machines: Mapping[str, str]

    @property
    def tasks(self) -> dict[str, str]:
        """Those of every function that reads or writes tasks."""
        # Said where it is not as ever, so that nothing changes for those who leave it.
        isolation = {} if self.settings.tool_isolation == SHARED else {"TOOL_ISOLATION": self.settings.tool_isolation}
        operators = {"OPERATORS": json.dumps(dict(self.settings.operators))} if self.settings.operators else {}
        return {
            **isolation,
            **operators,
            "LOG_LEVEL": self.settings.log_level,
            "TABLE_NAME": self.table.name,
            "PAYLOAD_BUCKET": self.payloads.name,
            "MACHINES": json.dumps(dict(self.machines)),
            "MAX_ACTIVE_TASKS": str(self.settings.max_active_tasks),
            "PLANS": self.settings.written_plans,
            "MAX_RUNNING_TASKS": str(self.settings.max_running_tasks),
            "DEFAULT_TTL_SECONDS": str(self.settings.default_ttl_seconds),
            "MAX_TTL_SECONDS": str(self.settings.max_ttl_seconds),
        }

    @property
    def tool_code(self) -> dict[str, str]:
        """Those of the functions that run adopters' code."""
        return {"LOG_LEVEL": self.settings.log_level, "TOOLS_MODULE": self.tools.module}

    @property
    def execution_outcomes(self) -> dict[str, str]:
        """Those of the function that records outcomes, of tools too that cannot be imported."""
        return self.tasks | {"CATALOGUE": self.settings.catalogue}

    @property
    def host(self) -> dict[str, str]:
        """Those of the function that hosts runs, which reads the scopes that tools need from the catalogue."""
        return self.execution_outcomes | {"REQUIRED_SCOPES": json.dumps(dict(self.settings.required_scopes))}

    @property
    def server(self) -> dict[str, str]:
        """Those of the function that answers requests."""
        return self.host | {
            "HIDE_TOOLS": "1" if self.settings.hide_tools else "",
            "SERVER_NAME": self.settings.server_name,
            "SERVER_VERSION": self.settings.server_version,
            "ALLOWED_ORIGINS": ",".join(self.settings.allowed_origins),
            "PAGE_SIZE": str(self.settings.page_size),
            "REQUEST_STATE_LIFETIME_SECONDS": str(self.settings.request_state_lifetime_seconds),
            **self.settings.presentation.variables,
        }

    @property
    def waiter(self) -> dict[str, str]:
        """Those of the function that holds streams open, for less than API Gateway's 29 seconds."""
        return self.server | {
            "STREAM_ARN": self.table.stream_arn,
            "MAX_HOLD_SECONDS": str(MAX_HOLD // timedelta(seconds=1)),
        }

    @property
    def authorizer(self) -> dict[str, str]:
        """Those of the authorizer, which reads nothing of the table but the keys that sign links."""
        return {"LOG_LEVEL": self.settings.log_level, "TABLE_NAME": self.table.name, **variables(self.issuers)}
