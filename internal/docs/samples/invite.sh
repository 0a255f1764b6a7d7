# KEY='typ_live_…' sh invite.sh
curl -sS --fail-with-body https://typus.example.com/api/v1/invites \
  -H "Authorization: Bearer $KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "name": "Jana Öztürk",
    "email": "jana.oeztuerk@example.com",
    "external_id": "crm-42",
    "send_email": false
  }'
