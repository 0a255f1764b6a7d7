# Sends a signed delivery, as Typus would, and prints what the receiver answers.
# SECRET='whsec_…' sh send.sh http://127.0.0.1:9000/typus body.json
set -eu
url=$1 file=$2 id=evt_test time=$(date +%s)

body=$(openssl dgst -sha256 -hmac "$SECRET" -r "$file" | cut -d' ' -f1)
key=$(printf %s "${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
message=$({ printf %s. "$id" "$time"; cat "$file"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)

curl -sS -o /dev/null -w '%{http_code}\n' "$url" \
  -H 'Content-Type: application/json' \
  -H 'X-Service-Event: candidate.completed' \
  -H "X-Service-Signature: sha256=$body" \
  -H "webhook-id: $id" \
  -H "webhook-timestamp: $time" \
  -H "webhook-signature: v1,$message" \
  --data-binary "@$file"
