"""Answers JSON lines of drawn sheets with what instrument_reference.py says of them."""
import json
import sys

import instrument_reference as ref

for line in sys.stdin:
    sheet = json.loads(line)
    answers = dict(zip(ref.ORDER, sheet["answers"]))
    times = {item: ms for item, ms in zip(ref.ORDER, sheet["rt_ms"]) if ms}
    r = ref.score(answers, sheet["role"], times, sheet["gaps_ms"])
    a = r["archetype"]
    if a:
        a["stability"] = ref.rnd(100 * a["stability"])
    r["dimensions"] = r.pop("dims")
    r["warnings"] = [{"code": code, "severity": severity} for code, severity in r["warnings"]]
    print(json.dumps(r))
