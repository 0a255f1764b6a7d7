# Proves a whole connection in a test world, without a person, a credit or a letter to anybody.
# KEY=typ_test_… SECRET=whsec_… SAVED=. sh testmode.sh
# SECRET is that of your receiver. Of what it gets it writes two files to the directory SAVED, in this order: headers.txt,
# each header on a line as "Name: value", then body.json, the body byte for byte, under another name until it is whole.
set -eu
base=https://typus.example.com

call() { # method, path, body
  curl -sS --fail-with-body -X "$1" "$base$2" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' ${3:+-d "$3"}
}
member() { grep -oE "\"$1\":(\"[^\"]*\"|[0-9]+)" | head -n 1 | cut -d: -f2- | tr -d '"'; }
fail() { echo "$1" >&2; exit 1; }
same() { [ "$2" = "$3" ] || fail "$1: $2 instead of $3"; }
invite() { call POST /api/v1/invites "{\"name\":\"$1\",\"email\":\"$2\",\"external_id\":\"$3\"}" | member invite_url; }
waits() { # for what, a command: once a second, for a minute
  what=$1 n=0; shift
  until "$@"; do n=$((n + 1)); [ $n -lt 60 ] || fail "no $what within a minute"; sleep 1; done
}
stands() { call GET /api/test/clock | grep -q '"move":null'; }
advance() { call POST /api/test/clock "{\"advance\":\"$1\"}" >/dev/null; waits 'end of the move' stands; }
neutral() { sed -E 's/[0-9]{15}/ID/g; s/"timestamp":"[^"]*"/TIME/'; } # ids and times differ each time

call POST /api/test/reset >/dev/null
rm -f "$SAVED/headers.txt" "$SAVED/body.json"
invite 'Jana Öztürk' finish+closer@example.com crm-42 >/dev/null
link=$(invite 'Tom Sander' never@example.com crm-43)

advance PT1M # she finishes, and the webhook comes
waits 'webhook' [ -s "$SAVED/body.json" ]
verify=$(curl -sSf "$base/docs/samples/verify.sh")
(cd "$SAVED" && SECRET=$SECRET sh -c "$verify") || fail 'wrong signature'
same 'body' "$(neutral <"$SAVED/body.json")" "$(curl -sS "$base/docs/samples/closer.json" | neutral)"
result=$(call GET /api/v1/candidates/crm-42)
same 'status' "$(echo "$result" | member status)" abgeschlossen
same 'overall' "$(echo "$result" | member overall)" "$(member overall <"$SAVED/body.json")"

advance P3D # he is reminded, once
same 'reminders' "$(call GET '/api/test/letters?to=never%40example.com' | grep -o '"kind":"reminder"' | wc -l | tr -d ' ')" 1

advance P31D # his invitation has run out
same 'link' "$(curl -sS -o /dev/null -w '%{http_code}' "$link")" 410
same 'status' "$(call GET /api/v1/candidates/crm-43 | member status)" offen
echo 'The connection works.'
