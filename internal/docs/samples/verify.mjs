// Receives webhooks and refuses what is not signed.
// SECRET='whsec_…' node verify.mjs
import { createServer } from 'node:http'
import { createHmac, timingSafeEqual } from 'node:crypto'

const { SECRET = '', PORT = 9000 } = process.env
if (!SECRET.startsWith('whsec_')) throw new Error('set SECRET') // an empty key would accept forgeries
const KEY = Buffer.from(SECRET.replace('whsec_', ''), 'base64')

function same(given, want) {
  const [a, b] = [Buffer.from(given), Buffer.from(want)]
  return a.length === b.length && timingSafeEqual(a, b)
}

// Over the body alone, keyed with the secret as it was shown. The second
// header is there only while the secret is being changed.
function bodySigned(headers, body) {
  const want = 'sha256=' + createHmac('sha256', SECRET).update(body).digest('hex')
  return ['x-service-signature', 'x-service-signature-alt'].some((name) => same(headers[name] ?? '', want))
}

// Over id, time and body, keyed with the decoded secret; five minutes old at most.
function messageSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': list = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - time) <= 300)) return false
  const want = 'v1,' + createHmac('sha256', KEY).update(`${id}.${time}.`).update(body).digest('base64')
  return list.split(' ').some((given) => same(given, want))
}

async function receive(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    if ((size += chunk.length) > 65536) return 413
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks) // the bytes as they came: parse them after the check
  // One of the two is enough.
  if (!bodySigned(request.headers, body) || !messageSigned(request.headers, body)) return 401
  const { candidate, scores } = JSON.parse(body).data
  // The same webhook-id may come again: store it together with what you do.
  console.log(request.headers['webhook-id'], candidate.external_id, candidate.name, scores.overall)
  return 204 // within 15 seconds; slow work is done afterwards
}

createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    () => response.writeHead(500).end(), // it will be sent again
  )
}).listen(PORT, '127.0.0.1')
