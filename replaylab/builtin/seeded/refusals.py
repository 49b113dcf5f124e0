"""The words of refusals that no contract holds. `{it}` is what the call is about, `{noun}` its sort, `{act}` the tool."""

from __future__ import annotations

NO_RULE = (
    "{it} needs the approval of a supervisor before anybody may {act}",
    "a second signature is required to {act}",
    "{it} is locked for a compliance review",
    "only premium accounts may {act}",
    "a deposit has to be paid before {it} can be dealt with",
    "{it} may not be handled twice by the same operator",
    "this desk is not authorised for {it}; the regional office has to {act}",
    "a written justification of the customer is missing for {it}",
)
LIMITS = (
    "the daily quota of {few} requests to {act} is used up",
    "at most {few} {noun} requests are allowed in one shift",
    "{it} has reached the maximum of {few} accesses",
    "no more than {few} calls of this kind may be made in a row",
)
CLOCKS = (
    "the window for {it} closed {few} hours ago",
    "{few} days have passed since {it} was opened, which is too late to {act}",
    "it is only possible to {act} between 03:1{few} and 03:5{few}",
    "the last change of {it} was less than {few} minutes ago; a cooling-off time applies",
    "the deadline to {act} ran out yesterday",
)
INPUTS = (
    "the risk score of {it} is 8{few}, above the limit of 7{few}",
    "the credit rating of {it} is below the required grade B{few}",
    "the congestion index is 9{few} percent, so it is not possible to {act}",
    "sensor drift of 1{few}.{few} percent makes {it} ineligible",
)
