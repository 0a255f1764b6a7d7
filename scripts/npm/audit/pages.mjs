// Runs the HTML checker and Lighthouse over every public page of a server of its
// own, the pages of a test among them. Usage: node pages.mjs TYPUS [--html | PATH…]: the HTML
// checker alone, or Lighthouse for the paths that begin so.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const [typus, ...only] = process.argv.slice(2)
const tools = resolve('.cache/npm-audit/node_modules')
const dir = mkdtempSync(join(tmpdir(), 'typus-audit-'))

const port = await new Promise((done) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => done(port))
  })
})
const base = `http://localhost:${port}`
const env = { ...process.env, TYPUS_DATABASE: join(dir, 'typus.db'), TYPUS_ADDR: `127.0.0.1:${port}` }

const command = (...args) => JSON.parse(execFileSync(typus, [...args, '--json'], { env }))

async function answers() {
  for (let tries = 0; tries < 300; tries++) {
    try {
      return await fetch(base + '/healthz')
    } catch {
      await new Promise((done) => setTimeout(done, 100))
    }
  }
  throw new Error('the server does not answer')
}

async function invite(key, id) {
  const response = await fetch(base + '/api/v1/invites?include=extra', {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Kim Beispiel', email: `${id}@example.com`, external_id: id, send_email: false }),
  })
  const { candidate_token, extra } = await response.json()
  return { test: `/t/${candidate_token}`, id: extra.id }
}

const post = (path, fields) => fetch(base + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })

// take begins a test as a candidate does and gives an answer to each of the first items.
async function take({ test }, items, answer) {
  const page = await (await fetch(base + test)).text()
  const version = page.match(/name="hinweise"[^>]*value="([^"]+)"/)[1]
  await post(test + '/start', { hinweise: version })
  for (let n = 1; n <= items; n++) {
    const answered = await post(`${test}/frage/${n}`, answer(n))
    if (answered.status !== 303) throw new Error(`statement ${n} is answered ${answered.status}`)
  }
}

// pages are the addresses to look at; those that answer an error are for the
// HTML checker only.
async function pages() {
  command('account', 'create', '--name', 'Muster GmbH', '--contact-email', 'personal@example.com')
  const { key } = command('key', 'create', '--account', '1', '--name', 'audit')
  const [open, begun, whole, skipped, done] = await Promise.all(['open', 'begun', 'whole', 'skipped', 'done'].map((id) => invite(key, id)))
  const given = (n) => ({ antwort: 1 + (n % 6), aktion: 'weiter' })
  await take(begun, 9, given)
  await take(whole, 97, given)
  await take(skipped, 97, () => ({ aktion: 'auslassen' }))
  command('candidate', 'finish', '--account', '1', '--id', String(done.id))
  const docs = ['', '/start', '/api', '/errors', '/webhooks', '/integrationen', '/explorer']
  const paths = [
    '/', ...docs.map((page) => '/docs' + page),
    open.test, open.test + '/absage',
    ...['', '/probe', '/frage/1', '/frage/10', '/pause/1'].map((page) => begun.test + page),
    whole.test + '/abgabe', skipped.test + '/abgabe', done.test + '/fertig',
    '/nothing', '/t/nobody',
  ].flatMap((path) => ['de', 'en'].map((lang) => `${path}?lang=${lang}`))
  for (const path of paths) {
    const { status } = await fetch(base + path, { redirect: 'manual' })
    if (status !== 200 && status !== 404) throw new Error(`${called(path)} is answered ${status}`)
  }
  return paths
}

// called is an address without the secret in it.
const called = (path) => path.replace(/\/t\/[0-9A-Za-z]{32}/, '/t/…')

async function checkHTML(paths) {
  const files = []
  for (const [n, path] of paths.entries()) {
    const file = join(dir, `${n}.html`)
    writeFileSync(file, await (await fetch(base + path)).text())
    files.push(file)
  }
  const vnu = ['-Xss4m', '-jar', join(tools, 'vnu-jar/build/dist/vnu.jar'), '--stdout', '--exit-zero-always', '--format', 'json']
  const { messages } = JSON.parse(execFileSync('java', [...vnu, ...files], { maxBuffer: 1 << 26 }))
  return messages.map((m) => `${called(paths[m.url.match(/(\d+)\.html$/)[1]])}: ${m.type}: ${m.message} at line ${m.lastLine}: ${m.extract?.trim()}`)
}

async function measure(run, launch, address) {
  const chrome = await launch({
    chromePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
    chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  try {
    const { lhr } = await run(address, { port: chrome.port, logLevel: 'error', onlyCategories: ['performance', 'accessibility', 'best-practices'] })
    return lhr
  } finally {
    await chrome.kill()
  }
}

const scores = (lhr) => Object.values(lhr.categories).map((c) => Math.round(c.score * 100))

// best is the best of three: other work on the machine only ever makes it worse.
async function best(run, launch, address) {
  let found
  for (let tries = 0; tries < 3; tries++) {
    const lhr = await measure(run, launch, address)
    if (!found || lhr.categories.performance.score > found.categories.performance.score) found = lhr
    if (scores(found).every((s) => s === 100)) break
  }
  return found
}

async function lighthouse(paths) {
  const { default: run } = await import(join(tools, 'lighthouse/core/index.js'))
  const { launch } = await import(join(tools, 'chrome-launcher/dist/index.js'))
  const faults = []
  for (const path of paths) {
    const lhr = await best(run, launch, base + path)
    console.log(scores(lhr).join(' ').padEnd(12), called(path))
    for (const category of Object.values(lhr.categories)) {
      if (category.score === 1) continue
      const low = category.auditRefs.map(({ id }) => lhr.audits[id]).filter((a) => a.score !== null && a.score < 0.9)
      faults.push(`${called(path)}: ${category.title} ${Math.round(category.score * 100)}: ${low.map((a) => `${a.id} ${a.displayValue ?? ''}`).join(', ')}`)
    }
  }
  return faults
}

const server = spawn(typus, ['serve'], { env, stdio: 'ignore' })
let faults = []
try {
  await answers()
  const paths = await pages()
  faults = await checkHTML(paths)
  console.log(`HTML checker: ${paths.length} pages, ${faults.length} remarks`)
  if (only[0] !== '--html') {
    const whole = []
    for (const path of paths) {
      const asked = only.length === 0 || only.some((start) => path.startsWith(start))
      if (asked && (await fetch(base + path)).ok) whole.push(path)
    }
    console.log('Lighthouse (mobile): performance, accessibility, best practices')
    faults.push(...(await lighthouse(whole)))
  }
} finally {
  server.kill()
  await new Promise((done) => (server.exitCode === null ? server.once('exit', done) : done()))
  rmSync(dir, { recursive: true })
}
for (const fault of faults) console.error(fault)
process.exit(faults.length ? 1 : 0)
