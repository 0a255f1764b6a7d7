# KEY='typ_live_…' python3 result.py
import json, os, urllib.request

request = urllib.request.Request(
    "https://typus.example.com/api/v1/candidates/crm-42?include=extra",
    headers={"Authorization": "Bearer " + os.environ["KEY"]},
)
with urllib.request.urlopen(request, timeout=20) as response:
    candidate = json.load(response)
scores, extra = candidate["scores"], candidate["extra"]

if scores is None:
    print("The test is not finished yet.")
elif any(warning["key"] == "response_quality_doubtful" for warning in scores["warnings"]):
    print("No reliable picture: show no figures, talk to the person.")
else:
    for warning in scores["warnings"]:
        print("!", warning["message"])
    low, high = extra["overall_band"]
    classes = "/".join(sorted(extra["fit_borderline"] + [scores["fit"]["key"]]))
    pattern, again = scores["archetype"]["name"], extra["archetype"]["stability"]
    print(f"{scores['overall']} of 100, somewhere from {low} to {high}; class {classes}; {pattern} in {again} of 100 repetitions")
