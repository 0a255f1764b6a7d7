// inputData: body, signature, secret. A step that throws ends the Zap.
const { createHmac, timingSafeEqual } = require('crypto')

if (!inputData.secret) throw new Error('no secret given')
const want = 'sha256=' + createHmac('sha256', inputData.secret).update(inputData.body).digest('hex')
const [a, b] = [Buffer.from(inputData.signature ?? ''), Buffer.from(want)]
if (a.length !== b.length || !timingSafeEqual(a, b)) throw new Error('not signed by Typus')

const { candidate, reportUrl } = JSON.parse(inputData.body).data
return { external_id: candidate.external_id, name: candidate.name, report_url: reportUrl }
