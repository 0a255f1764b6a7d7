# Prints each result once. Run it every few minutes.
# KEY='typ_live_…' python3 poll.py
import json, os, re, urllib.parse, urllib.request
from datetime import datetime, timedelta
from pathlib import Path

FILE = Path("poll.json")
state = json.loads(FILE.read_text()) if FILE.exists() else {"since": "2026-01-01T00:00:00Z", "seen": []}

# 60 seconds of overlap: a result may be stored a moment after its time.
start = datetime.fromisoformat(state["since"].replace("Z", "+00:00")) - timedelta(seconds=60)
query = {"completed_since": start.strftime("%Y-%m-%dT%H:%M:%SZ"), "limit": 100}
page = "https://typus.example.com/api/v1/candidates?" + urllib.parse.urlencode(query)

found = []
while page:
    request = urllib.request.Request(page, headers={"Authorization": "Bearer " + os.environ["KEY"]})
    with urllib.request.urlopen(request, timeout=20) as response:
        found += json.load(response)["candidates"]
        link = re.match('<([^>]+)>; rel="next"', response.headers.get("Link", ""))
        page = link and link[1]

for candidate in reversed(found):  # the oldest first
    if candidate["id"] not in state["seen"]:
        print(candidate["id"], candidate["external_id"], candidate["scores"]["overall"])

if found:
    state["since"] = found[0]["completed_at"]
state["seen"] = [candidate["id"] for candidate in found] or state["seen"]
FILE.write_text(json.dumps(state))
