"""What stands between the openai client and an endpoint: a spending limit, a cache of calls, a dry run, repairs.

    layers.py      an http client whose requests pass through functions
    replies.py     what an answer's bytes say: text, calls, usage, whether it is whole
    spending.py    calls, tokens and money by model; stops before a limit is passed
    call_cache.py  answers on disk, so that a stopped run goes on where it was and repeats cost nothing
    dry_run.py     the offline model in the endpoint's place, to know the cost beforehand
    quirks.py      requests that an endpoint refuses for their form, put another way
    explain.py     what an openai error means and what to do, in a line

    client = connect("gpt-4.1-mini", layers=[CallCache("calls.sqlite"), Spending(load_prices(), limit=0.50), Quirks()])

The order is from the outside in: what the cache answers costs nothing, and each repair is counted.  For sync clients.
"""

from .call_cache import CallCache
from .dry_run import DryRun
from .explain import explain
from .quirks import Quirks
from .spending import Spending

__all__ = ["CallCache", "DryRun", "Quirks", "Spending", "explain"]
