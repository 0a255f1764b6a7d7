# KEY='typ_live_…' python3 invite.py
import json, os, sys, urllib.error, urllib.request

request = urllib.request.Request(
    "https://typus.example.com/api/v1/invites",
    data=json.dumps({
        "name": "Jana Öztürk",
        "email": "jana.oeztuerk@example.com",
        "external_id": "crm-42",
        "send_email": False,
    }).encode(),
    headers={"Authorization": "Bearer " + os.environ["KEY"], "Content-Type": "application/json"},
)
try:
    with urllib.request.urlopen(request, timeout=20) as response:
        print(json.load(response)["invite_url"])
except urllib.error.HTTPError as error:
    answer = json.load(error)
    sys.exit(f"{answer['code']} {answer['detail']}")
