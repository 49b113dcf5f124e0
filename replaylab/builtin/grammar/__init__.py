"""`grammar`: a generator that is a program. It makes tasks out of the parts of shipped scenarios, and no model writes them.

An environment gets a state that the scenario's own twin reaches by allowed calls, with other ids; a task is a row of
calls that the twin carries out there, said in words. So what it makes runs, and it reads as what it is: a form filled in.
"""
