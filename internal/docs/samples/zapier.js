// inputData: body, signature, secret. A step that throws ends the Zap.
const { createHmac } = require('crypto')

const want = 'sha256=' + createHmac('sha256', inputData.secret).update(inputData.body).digest('hex')
if (inputData.signature !== want) throw new Error('not signed by Typus')

const { candidate, reportUrl } = JSON.parse(inputData.body).data
return { external_id: candidate.external_id, name: candidate.name, report_url: reportUrl }
