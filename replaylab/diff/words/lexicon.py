"""Words that mean something to the detector, each list in one place. Stems (see `identity.stem`) unless it says names.

A word stands here because of what it means in English, never because of one environment.
"""

from __future__ import annotations

from replaylab.diff.words.identity import stem


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names: the last word of a field that holds an id, or a name.
ID_WORDS = _names("id code key sku vin callsign identifier serial tag number ref symbol no icao tail token")
NAME_WORDS = _names("name title label filename path entity resource node")

# Names: the last word of an argument that refers to something.
REFERENCE_WORDS = ID_WORDS | NAME_WORDS | _names("ids names skus codes keys")

# Names: keys that say nothing about what they hold.
WRAPPERS = _names(
    """
    data result results response payload output body content contents items item list records record entries entry value
    values details detail report summary info information page rows objects elements
    """
)

# Nouns that say that there are several of something, and not of what.
CONTAINERS = _stems(
    """
    record registry list map mapping roster queue inventory status data detail profile table database catalog catalogue
    pool set collection log matrix id ids identifier object entry item info network topology metadata
    """
)

# How a description says that an object maps ids to things.
MAPPED = _stems("map mapping maps index")

# Collections that grow while an environment runs: what they don't hold yet may come.
GROWING = _stems(
    """
    log history event alert notification message audit note trail violation finding discovery detection issue output
    journal evidence conflict warning error measurement sample comment recommendation annotation transcript
    """
)

# A sentence with one of these allows domain logic without saying which.
OPEN_CLAUSE = _stems(
    "realism realistic realistically standard dynamics plausible physics physical professional"
)

# Words by which a prompt speaks of what the simulator itself has to do.
OWN_TASK = _stems(
    """
    json lwm simulator simulate simulated simulation observation output input parse parsing parsed format structured
    object language model execute submit field name argument
    """
)

# What a prompt writes where an error text would stand.
PLACEHOLDER_ERRORS = _stems(
    """
    reason for failure the of a an description error message specific detailed details describing describe what went
    wrong descriptive clear explanation structured here invalid text appropriate
    """
)

# What tools do, by the first word of their names. A verb may stand in several lists.
READ_VERBS = _stems(
    """
    get list show read view fetch retrieve query check lookup find search inspect scan detect discover survey explore
    monitor observe analyze analyse measure examine audit trace track identify locate browse describe compute calculate
    compare estimate forecast predict consult verify evaluate assess diagnose look review count summarize report display
    """
)
DISCOVERY_VERBS = _stems(
    "scan detect discover survey explore search investigate diagnose analyze analyse identify trace probe sweep browse"
)
CREATE_VERBS = _stems(
    """
    create add register book open generate issue log submit file place order schedule initiate request record make build
    provision draft post publish launch insert enroll deploy spawn reserve
    """
)
REMOVE_VERBS = _stems(
    """
    remove delete discharge cancel retract close dispose archive purge clear drop discard release retire terminate
    decommission eliminate resolve reset wipe flush dismiss offload unload void withdraw
    """
)
# What can end a thing, so that it is no more.
ENDING_VERBS = REMOVE_VERBS | _stems(
    "consume use sell merge convert split swap replace process execute complete finish finalize deliver harvest return"
)
# What can take a thing out of the list in which it stood.
LEAVING_VERBS = REMOVE_VERBS | _stems(
    """
    move transfer assign reassign dispatch ship load deliver complete finish finalize approve reject process consume use
    pick place harvest sell transition escalate merge promote schedule send submit route allocate deploy isolate seat
    execute handle treat evacuate rescue ground take equip admit transport relocate convert split swap replace return
    """
)
# Names of collections that things leave as soon as something is done with them.
QUEUES = _stems(
    "queue pending waiting waitlist inbox incoming backlog unassigned open untriaged outstanding todo unprocessed"
)
# Names of arguments that say how or where a thing stands from now on.
LEAVING_ARGUMENTS = _stems(
    """
    status state stage phase disposition decision action location destination target room zone lane queue bin slot dock
    owner assignee assign new to operation resolution outcome
    """
)
TIME_VERBS = _stems("advance step wait tick sleep elapse progress proceed forward skip simulate pass run")
TIME_WORDS = _stems("time clock hour minute day tick step simulation period shift turn cycle week month")

# Arguments. Keys of values that ask for everything.
EVERYTHING = _names("all any everything every none null star")
PAGING = _names(
    """
    page pagesize pagenumber limit offset cursor perpage top topn topk maxresults maxitems count numresults
    numberofresults resultlimit n k pagetoken startindex batchsize
    """
)
LOWER_BOUND = _stems("min minimum least above over after since from start greater gt gte lower earliest")
UPPER_BOUND = _stems("max maximum most below under before until to end less lt lte upper latest within")
# Those of them that may leave out the bound itself.
STRICT_BOUND = _stems("above over after greater gt below under before less lt")
# Arguments that say whose or which whole is looked at. A state that says nothing of it holds all of it or none.
SCOPES = _stems(
    """
    account period quarter segment user customer client vessel ship hub session project system plant network workspace
    fleet portfolio environment organization tenant campaign company team game hotel clinic hospital building program
    """
)
# The first of the two fields of a span of time.
SPAN_START = _stems("start from begin since")
FREE_TEXT = _stems("query search keyword keywords text term criteria filter pattern phrase question prompt q")
# Arguments that say by which field another argument picks.
FIELD_ARGUMENTS = _stems("attribute criterion field property")
# Arguments that change how a thing is shown, and not what.
VIEW_ARGUMENTS = _stems(
    """
    format sort order include detailed detail verbose fields unit units language reason note notes justification comment
    requester requested_by mode view level depth
    """
)

# Words in a tool's name or description that pick some of a collection by how they stand.
PICKING = _stems(
    """
    available idle free vacant empty unoccupied active inactive pending open closed unassigned assigned overdue critical
    urgent failed failing damaged broken online offline nearby near adjacent recent latest upcoming eligible qualified
    expiring expired low flagged scheduled unresolved resolved compatible matching relevant remaining waiting incoming
    outgoing affected suspicious suspected safe unsafe high top best ready blocked congested delayed completed unpaid
    outstanding undelivered unread visible accessible reachable allowed valid invalid anomalous violating conflicting
    """
)
# Words of picking that fit whatever a state holds, as long as it does not say otherwise.
PRESENT = _stems("active current existing registered present known live ongoing visible tracked")
# What a description says when a tool leaves nothing out.
WHOLE = _stems("all every complete full entire each whole overview everything comprehensive inventory roster")
# Attributes that say how a thing stands.
STATUS_FIELDS = _stems(
    "status state availability available condition phase stage mode occupancy occupied active busy health"
)
STATUS_PREFIXES = _stems("current operational present overall is")
# Values that stand for any other.
WILDCARDS = _names("all any global worldwide both every everywhere universal general multi multiple")

# Words for the two ends of a way.
DIRECTIONS = (
    _stems("origin from source start departure depart departing"),
    _stems("destination to target end arrival arrive arriving"),
)

# Where something is.
PLACES = _stems("location position place spot site here area current_location")

# Names of fields that say how many parts a thing has.
COUNTING = _stems("count quantity number total size")

# Names: what stands where a name would, and names nothing.
NO_NAMES = _names(
    "none null na nil unknown unassigned empty total totals overall tbd pending vacant available"
)

# Refusals. Names of fields that hold an error, an outcome; stems of fields that hold a reason.
ERROR_KEYS = _names("error errors error_message errormessage error_code exception failure")
OUTCOME_KEYS = _names(
    "success ok status result outcome accepted approved allowed valid authorized successful code"
)
REASON_KEYS = _stems(
    "error reason message detail explanation description note failure cause why rejection denial comment hint"
)
# Stems: what only remarks on something, beside an outcome; and outcomes in a word.
REMARKS = _stems("note comment description")
SUCCEEDED = _stems("success successful ok succeeded")
REFUSED = _stems(
    "rejected denied failed refused blocked error invalid unauthorized forbidden declined prohibited failure unsuccessful "
    "aborted infeasible conflict unable halted"
)

# Names: fields that tell the time, and words that make "time", "date", "day" or "step" mean now.
CLOCK_FIELDS = _names("clock now today timestamp")
NOW_WORDS = _names(
    "current system simulation sim simulated elapsed game present reference world server local"
)

# The commonest English words, and those that say that something is refused and nothing of why.
COMMON = _stems(
    """
    the a an and or but if then than that this these those there here it its their them they he she his her you your we our
    i is are was were be been being am do does did done has have had having will would shall should can could may might
    must cannot not no nor of to in on at by for from with without into onto over under up down out off as so such too
    very just also both each every any all some none one two three first second last next other another same own more
    less most least few many much only once again already yet still now when while where which who whom whose what why
    how because since due therefore however please ensure check try use using used make makes made take taken takes get
    gets got give given gives go goes going gone come comes put set let keep kept see seen need want like way thing time
    new old good high low right left back before after until during within between through against per via about
    above below further least enough able unable possible impossible new current currently present presently
    say says said tell tells told name named names exactly item items so
    t re ll ve sorry unfortunately afraid regret apology apologies
    contact ask wait retry later instead first move proceed continue remain remains reach reached hold holds held
    """
)
REFUSAL_WORDS = (
    COMMON
    | REFUSED
    | _stems(
        """
    request requested operation action call command attempt attempted perform performed process processed complete
    completed execute executed execution provide provided verify verified detect detected permitted permit allow allowed
    supported unsupported state status transition update updated change changed reason detail message code specified
    value parameter argument field input system violation violate violates constraint exceed exceeds exceeded exceeding
    available availability unavailable insufficient sufficient exist exists existing nonexistent found unknown
    recognized recognised occupied busy limit maximum minimum max min greater higher lower equal range valid conflict
    conflicting mismatch match support supports unsafe cause illegal logic resource exhausted total vs versus requires
    required missing outside nothing anything show shows showing shown reads indicates stands display displays among short shortfall ceiling longer
    shorter
    """
    )
)
# Words by which a reason lays down a rule: somebody's leave, a paper, a policy, an interval.
RULE_WORDS = _stems(
    """
    must require required requires requirement only policy policies regulation rule mandatory mandate prohibited forbid
    forbids forbidden permitted restricted restriction approval approve approved authorization authorisation
    authority permission sign-off signoff signed countersigned countersign certified certificate certify certification
    license licence permit quota cap eligible ineligible need needs necessary prerequisite unless covenant agreement
    supervisor allowed reserved consent override confirmation confirms confirm
    """
)
# Those of them that want somebody's leave.
LEAVE_WORDS = _stems(
    "approval authorization authorisation permission sign-off signoff signature supervisor consent countersigned"
)
# What is left of something.
REST_WORDS = _stems("remain remaining left rest")
# What is added to what something costs.
ADDED_RATES = _stems("fee tax vat surcharge commission markup tip")
# Those of them that may also say how much of something a call takes.
NEED_WORDS = _stems("require required requires need needs needed necessary")
# Words by which a sentence says what happens when, without a word of a rule.
PRESCRIBING = _stems(
    "not no never cannot if unless when until before after fail error reject refuse block prevent invalid should shall"
)
# Words before a number, and nouns beside it, that make it a bound.
BOUND_BEFORE = _stems(
    """
    least most exceed exceeds exceeding exceeded above below over under greater less more within every up restricted
    limited requires require required must than rated only
    """
)
BOUND_NOUNS = _stems("limit maximum minimum max min floor ceiling cap threshold quota")
# Words of fields and texts that hold a bound, by its side; and all words in which one is said to be passed.
BOUND_UPPER = _stems("max maximum ceiling cap most highest upper up quota")
BOUND_LOWER = _stems("min minimum floor least lowest lower")
BOUND_SAYING = (
    BOUND_BEFORE
    | BOUND_NOUNS
    | _stems(
        """
        limits allowance allowed allows permitted permits permissible upper lower longer shorter higher larger smaller bigger
        fewer beyond past too high low many much long short needs need top bound range rated rating safe safety hard set
        passes passed pass outside goes may asked requested over-limit surpasses tops
        """
    )
)
# Words that say that a number was worked out from others.
WORKED_OUT = _stems(
    "remaining remain available left total current currently would bring cost sum combined result resulting only needed need"
)

# Values that only say how a call went, and fields whose texts say that or something else.
OUTCOMES = _stems(
    "success successful ok found retrieved sent accepted done complete completed error failed failure valid none"
)
OUTCOME_FIELDS = _stems("status result outcome message response")
# Fields that say of what sort a thing is, for which there are many words.
SORT_FIELDS = _stems("type kind category class role group")
VAGUE_FIELDS = _stems("result message note kind name description summary timestamp time detail")

# What sets a value, by the first word of a tool's name; words of a field that say that it is the new value; words of an
# argument that is only aimed at; and words of an answer that says that something has only begun.
SET_VERBS = _stems(
    "set update adjust change modify toggle switch assign configure turn edit apply control mark"
)
NEW_WORDS = _stems("new updated current resulting final latest now total")
TARGET_WORDS = _stems("target desired goal setpoint requested planned")
IN_PROGRESS = _stems("initiated started begun pending queued scheduled requested submitted progress accepted")

# Words by which a refusal speaks of the arguments themselves.
ARGUMENT_WORDS = _stems(
    "argument parameter missing invalid input malformed format type integer string boolean enum blank empty"
)
# Words by which a refusal speaks of the sign of a number.
SIGN_WORDS = _stems("negative nonnegative positive zero")
# Pairs of words that exclude each other.
_PAIRS = """
    open/closed on/off active/inactive enabled/disabled locked/unlocked running/stopped
    online/offline connected/disconnected available/unavailable occupied/vacant valid/expired
    paid/unpaid signed/unsigned verified/unverified complete/incomplete full/empty booked/free
    approved/unapproved reserved/available authenticated/unauthenticated
"""
_OPPOSITES = [(stem(one), stem(other)) for one, other in (pair.split("/") for pair in _PAIRS.split())]
OPPOSITES = dict(_OPPOSITES) | {other: one for one, other in reversed(_OPPOSITES)}

# Names: values that say nothing of what was asked for.
NO_CONTENT = _names("0 ok success none null empty notfound noresults")

# Words by which time passes, which a clock bears out.
PASSING = _stems(
    "window pass passed elapsed expired deadline due late minute hour day week month year second arrived since old"
)
# Those among them that a contract has to know.
RUNS_OUT = _stems("window deadline expired due late elapsed")
# States that come with time.
ELAPSED = _stems("expired overdue lapsed elapsed late")

# Words for one and the same standing.
ALIKE = (
    _stems("off offline stopped halted shutdown down inactive disabled unpowered standby idle"),
    _stems("on online running active enabled operational powered started"),
    _stems("locked closed sealed blocked shut"),
    _stems("full occupied taken busy booked reserved"),
)

# Whether a place is taken.
TAKEN_FIELDS = _stems("occupied taken used booked reserved busy full")
VACANT = _stems("vacant empty free available unoccupied open idle")

# Verbs of tools that take something of a stock, words for buying and selling, and words of a field for what is paid with.
TAKING_VERBS = _stems("harvest cut fell pick withdraw extract mine consume")
TRADING = _stems("buy purchase sell trade invest investment")
MONEY = _stems("cash budget fund wallet balance")
