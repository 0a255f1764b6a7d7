// KEY='typ_live_…' node invite.mjs
const response = await fetch('https://typus.example.com/api/v1/invites', {
  method: 'POST',
  headers: { Authorization: `Bearer ${process.env.KEY}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({
    name: 'Jana Öztürk',
    email: 'jana.oeztuerk@example.com',
    external_id: 'crm-42',
    send_email: false,
  }),
})
const answer = await response.json()
if (!response.ok) {
  console.error(answer.code, answer.detail)
  process.exit(1)
}
console.log(answer.invite_url)
