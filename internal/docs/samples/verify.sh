# Checks a saved delivery: its body is in body.json, its headers are in headers.txt.
# SECRET='whsec_…' sh verify.sh && echo genuine
set -eu
case $SECRET in whsec_?*) ;; *) exit 2 ;; esac # an empty key would accept forgeries

header() { grep -i "^$1:" headers.txt | head -n 1 | cut -d: -f2- | tr -d ' \r'; }

# Over the body alone, keyed with the secret as it was shown. The second header
# is there only while the secret is being changed.
body=sha256=$(openssl dgst -sha256 -hmac "$SECRET" -r body.json | cut -d' ' -f1)
[ "$(header X-Service-Signature)" = "$body" ] || [ "$(header X-Service-Signature-Alt)" = "$body" ]

# Over id, time and body, keyed with the decoded secret. One of the two is enough.
key=$(printf %s "${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
message=$(
  { printf %s. "$(header webhook-id)" "$(header webhook-timestamp)"; cat body.json; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A
)
grep -i '^webhook-signature:' headers.txt | tr -d '\r' | tr ' ' '\n' |
  grep -Fqx "v1,$message"
