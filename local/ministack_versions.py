"""Mends of the emulator's versions of functions: what a deploy leaves running, and whom aliases lead to."""

import random
import threading

from ministack.core import lambda_runtime
from ministack.services import lambda_svc
from ministack.services.cloudformation import provisioners


def mend_versions() -> None:
    """Have versions, aliases and updates of functions do as on AWS."""
    reserve_for_versions()
    weigh_aliases()
    map_to_aliases()
    finish_updated()
    retire_versions()


def reserve_for_versions() -> None:
    """Limit a function's versions by what is reserved for it, as AWS does; the emulator limits the unpublished one."""
    reserved = lambda_svc._reserved_concurrency

    def of_function(func, config):
        return reserved(lambda_svc._functions.get(config.get("FunctionName")) or func, config)

    lambda_svc._reserved_concurrency = of_function


def weigh_aliases() -> None:
    """Have an alias lead to two versions, by the weights that it has, as AWS does; the emulator only keeps them."""
    found, invoke = lambda_svc._effective_func_record_for_qualifier, lambda_svc._invoke

    def found_by_weight(func, qualifier):
        return found(func, _weighed(func, qualifier))

    async def invoke_by_weight(name, event, headers, path_qualifier=None, query_params=None):
        named = path_qualifier or lambda_svc._qp_first(query_params or {}, "Qualifier") or None
        chosen = _weighed(lambda_svc._functions.get(name), named)
        return await invoke(name, event, headers, chosen, query_params)

    lambda_svc._effective_func_record_for_qualifier = found_by_weight
    lambda_svc._invoke = invoke_by_weight


def _weighed(func, qualifier):
    chance = random.random()
    for version, weight in _weights(((func or {}).get("aliases") or {}).get(qualifier)).items():
        if (chance := chance - weight) < 0:
            return version
    return qualifier


def map_to_aliases() -> None:
    """Let a deploy have an event source mapping lead to an alias, as AWS does; the emulator keeps what it led to."""
    handlers = provisioners._RESOURCE_HANDLERS["AWS::Lambda::EventSourceMapping"]
    update = handlers["update"]

    def update_with_alias(physical_id, old, new, *stack):
        mapping = lambda_svc._esms.get(physical_id)
        if mapping and "FunctionName" in new:
            mapping["Qualifier"] = lambda_svc._resolve_name_and_qualifier(new["FunctionName"])[1]
        return update(physical_id, old, new, *stack)

    handlers["update"] = update_with_alias


def finish_updated() -> None:
    """Let what runs end when its function is updated, as AWS does; the emulator kills it."""
    release_worker = lambda_svc.release_worker

    def finishing(update):
        def update_others(name, data):
            with lambda_runtime._lock:
                for key, workers in _pools(name):
                    if key.endswith(":$LATEST"):
                        workers[:] = [worker for worker in workers if not worker.in_use]
            return update(name, data)

        return update_others

    def release(worker):
        release_worker(worker)
        if worker is not None and not any(worker in workers for workers in list(lambda_runtime._workers.values())):
            end([worker])

    lambda_svc._update_code = finishing(lambda_svc._update_code)
    lambda_svc._update_config = finishing(lambda_svc._update_config)
    lambda_svc.release_worker = release


def retire_versions() -> None:
    """End the idle processes of versions that no alias leads to, as AWS does in time; the emulator keeps one."""
    acquire = lambda_svc.acquire_worker

    def acquire_and_retire(name, config, *code, **options):
        worker, reason = acquire(name, config, *code, **options)
        if reason == "spawn":
            _retire(name)
        return worker, reason

    lambda_svc.acquire_worker = acquire_and_retire


def _retire(name):
    held = {"$LATEST"}
    for alias in (lambda_svc._functions.get(name) or {}).get("aliases", {}).values():
        held |= {alias["FunctionVersion"], *_weights(alias)}
    idle = []
    with lambda_runtime._lock:
        for key, workers in _pools(name):
            if key.rpartition(":")[2] not in held:
                idle += [worker for worker in workers if not worker.in_use]
                workers[:] = [worker for worker in workers if worker.in_use]
    end(idle)


def end(workers) -> None:
    """End processes in the background: each takes a moment, for which no invocation need wait."""
    threading.Thread(target=lambda_runtime.kill_workers, args=(workers,), daemon=True).start()


def _pools(name):
    return [(key, workers) for key, workers in lambda_runtime._workers.items() if key.split(":")[2] == name]


def _weights(alias):
    return ((alias or {}).get("RoutingConfig") or {}).get("AdditionalVersionWeights") or {}
