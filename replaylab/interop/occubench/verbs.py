"""First words of tool names, and whether they read or write. A word that can mean either stands nowhere."""

from __future__ import annotations

_READ_WORDS = """
analyze calculate check compare compute consult estimate examine explain fetch find forecast geocode get
identify inspect list locate lookup measure monitor observe query read retrieve scan search show trace
track view weigh
"""

_WRITE_WORDS = """
abort accept acquire activate add adjust administer advance align allocate apply archive assign authorize
book calibrate cancel capture certify change charge claim cleanup clear close commit complete configure
consolidate contain create decommission delete deploy discharge dispatch drop dropoff enforce enroll
equip escalate establish excavate file finalize fix flush harvest initialize initiate inject invest
isolate issue liquidate load log migrate modify move navigate offload open optimize order park patch pick
pickup place post prepare prescribe promote provision publish purge realign reallocate recharge reconcile
reconfigure record recover redact refill refresh refuel register regulate remediate remove renew
reorganize repair replant reserve reset resolve restore retract revoke sanitize scale schedule scrub seat
send set setup skip slew stabilize stage start step submit sync synchronize toggle transfer transition
transmit transport trigger unload update upgrade upload vent void wait write
"""

READS = frozenset(_READ_WORDS.split())
WRITES = frozenset(_WRITE_WORDS.split())
