"""From an author's text to notebooks, from solutions to exercises, and from submissions to grades.

    source.py     MyST text -> a notebook whose cells say what they are
    markers.py    the solution markers: found, checked, cut
    lint.py       what a solutions file must have before anything runs
    execute.py    a notebook run in a fresh, deterministic kernel
    published.py  the one form in which an executed notebook is stored, and what it may not contain
    exercise.py   a solution cut down to its exercise
    build.py      all of these over the course: make notebooks
    withhold.py   modules that an exercise may not import
    proof.py      that an exercise fails unsolved, passes solved, and gives nothing away
    fast.py       the same cells without a kernel, in a forked process: for proofs and quick checks
    ready.py      such a process kept ready for one notebook
    check.py      the reader's coach: shipped.py, verdict.py (explain.py), coach.py, progress.py, watch.py
    similarity.py which submissions are alike: advice
    cluster.py    grading on a Dask cluster, the grader's end; desk.py a worker's end
    formats/      a gradebook as Gradescope, Canvas, Moodle and GitHub take it

AUTHORING.md says how a chapter and its exercise are written. This package knows nothing of memory strategies.
"""
