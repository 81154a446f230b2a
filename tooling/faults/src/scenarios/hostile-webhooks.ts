import type { JsonObject } from '@keelson/apimachinery'
import { Http2Client } from '@keelson/tooling-e2e/http2-client'
import type { Http2Answer } from '@keelson/tooling-e2e/http2-client'
import { setTimeout as wait } from 'node:timers/promises'
import { formatMegabytes, MeasuredServer } from '../definitions/measured-server.ts'
import { startBadAdmissionWebhook } from '../webhooks/bad-admission-webhook.ts'
import type { BadAdmissionWebhook } from '../webhooks/bad-admission-webhook.ts'
import { fail, newResult, type Scenario } from './scenario.ts'

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const configMaps = '/api/v1/namespaces/default/configmaps'
const json = { 'content-type': 'application/json' }
/** Time until the server calls a new webhook. */
const settleMs = 200
/** Seats of all priority levels of this server and of kube-apiserver. A level can borrow the seats that the others do not use. */
const maxWrites = 600
/** Writes that wait for the webhook at least, because their priority level has so many seats of its own and to borrow. */
const minWrites = 100
/** Maximum memory that requests to a slow webhook may allocate, however many they are. */
const maxGrowth = 300 * 2 ** 20
/** Maximum time in milliseconds by which an answer may exceed the timeout of its webhook. */
const graceMs = 4000
const streamsPerConnection = 100

/** Scenario with admission webhooks that hang, flood, reset, redirect or lie, also under 10,000 requests at the same time. */
export const hostileWebhooks: Scenario = {
  name: 'hostile-webhooks',
  about: 'bad admission webhooks, 10,000 requests to a slow one: clear errors in time, fast reads, bounded memory',
  rounds: 3,
  roundsPerPart: 3,
  shortRounds: 1,
  async run({ rounds, directory, note }) {
    const result = newResult()
    await using measured = await MeasuredServer.start(directory, result)
    await using webhook = await startBadAdmissionWebhook()
    const isShort = rounds === 1
    measured.judgesPercentiles = !isShort
    await allowWorkers(measured)
    for (let round = 1; round <= rounds && measured.server.isRunning(); round++) {
      await measured.measurePhase('bad webhooks', () => callBadWebhooks(measured, webhook))
      await measured.measurePhase('end of the request', () => endRequestFirst(measured, webhook))
      await sendTooMany(measured, webhook, isShort ? 1000 : 10_000)
      result.rounds++
      note(`round ${round}: ${result.notes.at(-1)}`)
    }
    return result
  },
}

/** Sends writes to each bad webhook. Each must fail within the timeout, and not change the answers to other requests. */
async function callBadWebhooks({ server, result }: MeasuredServer, webhook: BadAdmissionWebhook): Promise<void> {
  using client = new Http2Client(`https://127.0.0.1:${server.port}`, server.token)
  for (const kind of webhook.kinds) {
    await using _configuration = await configure(client, webhook, { kind, timeoutSeconds: 1 })
    const before = server.readMemory()
    const began = performance.now()
    const answers = await Promise.all(Array.from({ length: 10 }, () => createConfigMap(client)))
    const milliseconds = performance.now() - began
    result.operations += answers.length
    for (const answer of answers) judgeStatus(result, kind, answer, 500, 'failed calling webhook')
    if (milliseconds > 1000 + graceMs) fail(result, `${kind}: the answers took ${milliseconds.toFixed(0)} ms`)
    const growth = server.readMemory() - before
    if (growth > maxGrowth) fail(result, `${kind}: ten requests took ${formatMegabytes(growth)}`)
  }
}

/** Sends writes whose time ends before that of the webhook. */
async function endRequestFirst({ server, result }: MeasuredServer, webhook: BadAdmissionWebhook): Promise<void> {
  using client = new Http2Client(`https://127.0.0.1:${server.port}`, server.token)
  await using _configuration = await configure(client, webhook, { kind: 'hangs', timeoutSeconds: 30 })
  const answers = await Promise.all(Array.from({ length: 10 }, () => createConfigMap(client, '?timeout=1s')))
  result.operations += answers.length
  for (const answer of answers) judgeStatus(result, 'timeout=1s', answer, 504, 'Timeout')
}

/** Lets the group "workers" do everything. */
async function allowWorkers({ server }: MeasuredServer): Promise<void> {
  using client = new Http2Client(`https://127.0.0.1:${server.port}`, server.token)
  const apiGroup = 'rbac.authorization.k8s.io'
  const binding = {
    metadata: { name: 'workers' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup, kind: 'Group', name: 'workers' }],
  }
  const { status } = await client.request('POST', `/apis/${apiGroup}/v1/clusterrolebindings`, {
    headers: json,
    body: Buffer.from(JSON.stringify(binding)),
  })
  if (status !== 201) throw new Error(`the binding of the workers was refused: ${status}`)
}

/** Sends many writes to a webhook that hangs. As many as the limit allows wait for it, and the others are refused at once. */
async function sendTooMany(measured: MeasuredServer, webhook: BadAdmissionWebhook, requests: number): Promise<void> {
  const { server, result } = measured
  const url = `https://127.0.0.1:${server.port}`
  using first = new Http2Client(url, server.token)
  await using _configuration = await configure(first, webhook, { kind: 'hangs', timeoutSeconds: 3 })
  const clients = Array.from({ length: Math.ceil(requests / streamsPerConnection) }, () => new Http2Client(url, server.workerToken))
  try {
    // Opens the connections first, so that the requests arrive together.
    await Promise.all(clients.map((client) => client.request('GET', '/livez')))
    const before = server.readMemory()
    webhook.takeMaxCalls()
    let highest = before
    const meter = setInterval(() => (highest = Math.max(highest, server.readMemory())), 20)
    const reading = readMeanwhile(first)
    const answers = await Promise.all(
      clients.flatMap((client) => Array.from({ length: streamsPerConnection }, () => createConfigMap(client))),
    )
    clearInterval(meter)
    const reads = await reading.stop()
    if (reads.failed > 0 || reads.done < 5) fail(result, `overload: ${reads.done} reads were answered meanwhile, ${reads.failed} failed`)
    result.operations += answers.length
    const counts = new Map<number, number>()
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
    for (const answer of answers) {
      if (answer.status === 429) judgeStatus(result, 'overload', answer, 429, 'Too many requests')
      else judgeStatus(result, 'overload', answer, 500, 'context deadline exceeded')
    }
    const calls = webhook.takeMaxCalls()
    if (calls > maxWrites) fail(result, `${calls} calls of the webhook at the same time`)
    if (highest - before > maxGrowth) fail(result, `${requests} requests took ${formatMegabytes(highest - before)}`)
    const statuses = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
    if ((counts.get(500) ?? 0) < minWrites) fail(result, `overload: only ${counts.get(500) ?? 0} requests reached the webhook`)
    const effects = `${statuses}, ${calls} calls, ${reads.done} reads meanwhile, ${formatMegabytes(highest - before)} more memory`
    result.notes.push(`${requests} requests to a slow webhook: ${effects}`)
  } finally {
    for (const client of clients) client[Symbol.dispose]()
  }
}

/** Reads a namespace repeatedly until it is stopped. */
function readMeanwhile(client: Http2Client): { stop(): Promise<{ readonly done: number; readonly failed: number }> } {
  let [isRunning, done, failed] = [true, 0, 0]
  const run = async (): Promise<void> => {
    while (isRunning) {
      const { status } = await client.request('GET', '/api/v1/namespaces/default')
      if (status === 200) done++
      else failed++
      await wait(20)
    }
  }
  const running = run()
  return {
    async stop() {
      isRunning = false
      await running
      return { done, failed }
    },
  }
}

/** Creates the configuration of one webhook that gets all writes of config maps. Disposing the result removes it. */
async function configure(
  client: Http2Client,
  { url, caBundle }: BadAdmissionWebhook,
  { kind, timeoutSeconds }: { readonly kind: string; readonly timeoutSeconds: number },
): Promise<AsyncDisposable> {
  const configuration: JsonObject = {
    metadata: { name: 'bad' },
    webhooks: [
      {
        name: 'bad.example.com',
        clientConfig: { url: `${url}/${kind}`, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds,
      },
    ],
  }
  const { status } = await client.request('POST', configurations, { headers: json, body: Buffer.from(JSON.stringify(configuration)) })
  if (status !== 201) throw new Error(`the configuration of the webhook was refused: ${status}`)
  await wait(settleMs)
  return {
    async [Symbol.asyncDispose]() {
      await client.request('DELETE', `${configurations}/bad`)
    },
  }
}

function createConfigMap(client: Http2Client, query = ''): Promise<Http2Answer> {
  const body = Buffer.from(JSON.stringify({ metadata: { generateName: 'a-' }, data: { a: 'x'.repeat(2000) } }))
  return client.request('POST', `${configMaps}${query}`, { headers: json, body })
}

function judgeStatus(
  result: Parameters<typeof fail>[0],
  about: string,
  { status, body }: Http2Answer,
  expectedStatus: number,
  text: string,
): void {
  const received = body.toString()
  if (status !== expectedStatus || !received.includes(text)) fail(result, `${about}: returned ${status}: ${received.slice(0, 300)}`)
}
