import { execFileSync } from 'node:child_process'
import { constants, writeFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startRecorder } from '@keelson/tooling-e2e/audit-recorder'
import type { Recorder } from '@keelson/tooling-e2e/audit-recorder'
import { Http2Client } from '@keelson/tooling-e2e/http2-client'
import { writeKubeconfig } from '@keelson/tooling-e2e/write-kubeconfig'
import { sendAudited } from '../audit/audited-load.ts'
import type { AnsweredRequest } from '../audit/audited-load.ts'
import { findGaps, findWrongEvents, parseLog } from '../audit/judge-events.ts'
import type { RecordedEvent } from '../audit/judge-events.ts'
import { formatMegabytes } from '../definitions/measured-server.ts'
import { startServer } from '../http/server-process.ts'
import type { ServerProcess } from '../http/server-process.ts'
import { fail, newResult } from './scenario.ts'
import type { Scenario, ScenarioContext, ScenarioResult } from './scenario.ts'

type Mode = 'batch' | 'blocking' | 'blocking-strict'

/** A fault of one round. */
interface Fault {
  readonly name: string
  readonly run: (round: AuditRound) => Promise<void>
}

export interface AuditRound extends Pick<ScenarioContext, 'directory' | 'random'> {
  readonly name: string
  readonly number: number
  readonly result: ScenarioResult
  /** Flags of Node for the server, with which tests plant bugs. */
  readonly nodeFlags?: readonly string[]
}

const clients = 16
/** Maximum growth of the server under large requests, after garbage collection. It is 250 to 315 MB, of which 128 MiB are waiting events. */
const maxGrowth = 400 * 2 ** 20
const bodySize = 900_000
/** Number of requests whose events have 540 MB. */
const largeRequests = 300

/** Requests in the round that shows that none of 100,000 is lost. */
const manyRequests = 100_000

const faults: readonly Fault[] = [
  { name: 'killed, log, blocking-strict', run: (round) => endLog(round, { mode: 'blocking-strict', ending: 'kill' }) },
  { name: 'stopped, webhook, batch', run: (round) => stopWebhook(round, 'batch') },
  { name: 'full disk', run: runFullDisk },
  { name: 'refusing webhook', run: runRefusingWebhook },
  { name: 'stopped, log, batch', run: (round) => endLog(round, { mode: 'batch', ending: 'stop' }) },
  { name: 'killed, log, blocking', run: (round) => endLog(round, { mode: 'blocking', ending: 'kill' }) },
  { name: 'killed, log, batch', run: (round) => endLog(round, { mode: 'batch', ending: 'kill' }) },
  { name: 'stopped, log, blocking', run: (round) => endLog(round, { mode: 'blocking', ending: 'stop' }) },
  { name: 'killed, webhook, blocking-strict', run: killWebhook },
  { name: 'stopped, webhook, blocking', run: (round) => stopWebhook(round, 'blocking') },
  {
    name: `stopped after ${manyRequests} requests, log, blocking-strict`,
    run: (round) => endLog(round, { mode: 'blocking-strict', ending: 'stop', requests: manyRequests }),
  },
]

const stalls: readonly Fault[] = [
  { name: 'stalled disk', run: runStalledDisk },
  { name: 'dead webhook', run: runDeadWebhook },
]

/** Scenario that looks for lost audit events when the server ends, the disk is full or the webhook refuses connections. */
export const auditLoss: Scenario = {
  name: 'audit-loss',
  about:
    'the server is killed or stopped under load, the disk of the audit log is full, the webhook is gone: no event is lost that its mode keeps',
  rounds: 3 * faults.length,
  roundsPerPart: faults.length,
  shortRounds: 4,
  run: (context) => runFaults(context, faults),
}

/** Scenario with a log or webhook that takes no events in mode `batch`. */
export const auditMemory: Scenario = {
  name: 'audit-memory',
  about: 'large requests while the audit log or the webhook hangs: all are answered, and the memory is bounded',
  rounds: 4,
  roundsPerPart: 4,
  shortRounds: 1,
  run: (context) => runFaults(context, stalls),
}

async function runFaults({ rounds, directory, random, note }: ScenarioContext, list: readonly Fault[]): Promise<ScenarioResult> {
  const result = newResult()
  for (let number = 0; number < rounds; number++) {
    const { name, run } = list[number % list.length]!
    const earlier = result.operations
    await run({ name, directory, random, number, result })
    result.rounds++
    note(`${name}: ${result.operations - earlier} requests`)
  }
  return result
}

/** Writes a policy. Returns the flags with which a server uses it. */
function createPolicyFlags({ directory }: AuditRound, level: 'Metadata' | 'RequestResponse' = 'Metadata'): readonly string[] {
  const policy = join(directory, `policy-${level}.json`)
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level }] }))
  return [`--audit-policy-file=${policy}`]
}

function start(round: AuditRound, flags: readonly string[]): Promise<ServerProcess> {
  return startServer(round.directory, flags, { nodeFlags: round.nodeFlags ?? [] })
}

interface LogEnd {
  readonly mode: Mode
  readonly ending: 'stop' | 'kill'
  /** Number of requests before the end. Default: the server ends at a random moment under load. */
  readonly requests?: number
}

/** Ends a server with a log under load, and looks for the events of all answered requests. */
export async function endLog(round: AuditRound, { mode, ending, requests }: LogEnd): Promise<void> {
  const { directory, number, random, result } = round
  const log = join(directory, `audit-${number}.log`)
  const files = ['--audit-log-maxsize=0', `--audit-log-path=${log}`, `--audit-log-mode=${mode}`]
  await using server = await start(round, [...createPolicyFlags(round), ...files])
  const load = sendAudited(server, { prefix: `r${number}`, clients, requests: requests ?? Infinity })
  if (requests === undefined) await wait(300 + random() * 700)
  else await load
  if (ending === 'stop') await stop(server, result)
  else await server[Symbol.asyncDispose]()
  const answered = await load
  const events = parseLog(await readFile(log, 'utf8'), ending === 'kill')
  const mayLose = mode === 'batch' && ending === 'kill'
  // In mode batch, a killed server loses the last events, because they are still in its memory.
  judge(round, { answered, events, problems: mayLose ? findGaps(events, answered) : findWrongEvents(events, answered) })
}

async function stop(server: ServerProcess, result: ScenarioResult): Promise<void> {
  const { code } = await server.stop()
  if (code !== 0) fail(result, `the server ended with ${code}: ${server.loggedErrors().slice(-1000)}`)
}

interface Judged {
  readonly answered: readonly AnsweredRequest[]
  readonly events: readonly RecordedEvent[]
  readonly problems: readonly string[]
}

const maxPrinted = 5

function judge({ result, name }: AuditRound, { answered, events, problems }: Judged): void {
  result.operations += answered.length
  result.events += events.length
  if (answered.length === 0) fail(result, `${name}: no request was answered`)
  for (const problem of problems.slice(0, maxPrinted)) fail(result, `${name}: ${problem} (of ${problems.length})`)
}

async function createWebhookFlags({ directory }: AuditRound, url: string, mode: Mode): Promise<readonly string[]> {
  const kubeconfig = await writeKubeconfig(join(directory, 'webhook.kubeconfig'), { url, token: 'x' })
  return [`--audit-webhook-config-file=${kubeconfig}`, `--audit-webhook-mode=${mode}`, '--audit-webhook-initial-backoff=10ms']
}

/** Stops a server with a webhook under load. The webhook must have the events of all answered requests when the process has ended. */
async function stopWebhook(round: AuditRound, mode: Mode): Promise<void> {
  await using recorder = await startRecorder()
  await using server = await start(round, [...createPolicyFlags(round), ...(await createWebhookFlags(round, recorder.url('events'), mode))])
  const load = sendAudited(server, { prefix: `r${round.number}`, clients, requests: Infinity })
  await wait(300 + round.random() * 700)
  await stop(server, round.result)
  const answered = await load
  const events = readRecorded(recorder)
  judge(round, { answered, events, problems: findWrongEvents(events, answered) })
}

/** Kills a server whose requests wait until the webhook has their events. */
async function killWebhook(round: AuditRound): Promise<void> {
  await using recorder = await startRecorder()
  await using server = await start(round, [
    ...createPolicyFlags(round),
    ...(await createWebhookFlags(round, recorder.url('events'), 'blocking-strict')),
  ])
  const load = sendAudited(server, { prefix: `r${round.number}`, clients, requests: Infinity })
  await wait(300 + round.random() * 700)
  await server[Symbol.asyncDispose]()
  const answered = await load
  await recorder.quiet('events')
  const events = readRecorded(recorder)
  judge(round, { answered, events, problems: findWrongEvents(events, answered) })
}

function readRecorded(recorder: Recorder): readonly RecordedEvent[] {
  return recorder.events('events') as unknown as readonly RecordedEvent[]
}

/** Sends requests while no event can be written. All fail in mode blocking-strict. In mode blocking, only events are lost. */
async function runFullDisk(round: AuditRound): Promise<void> {
  // Writes to this device always fail because there is no space.
  const files = [...createPolicyFlags(round), '--audit-log-maxsize=0', '--audit-log-path=/dev/full']
  for (const mode of ['blocking-strict', 'blocking'] as const) {
    await using server = await start(round, [...files, `--audit-log-mode=${mode}`])
    const before = server.readMemory()
    const answered = await sendAudited(server, { prefix: mode, clients, requests: 1000 })
    const wrong = answered.filter(({ status, body }) =>
      mode === 'blocking' ? status >= 500 : status !== 500 || !body.includes('failed to store audit event'),
    )
    const problems = wrong.map(({ status, body }) => `${mode}: got ${status} ${body.slice(0, 100)}`)
    if (answered.length < 1000) problems.push(`${mode}: only ${answered.length} requests were answered`)
    judge(round, { answered, events: [], problems: [...problems, ...(await findGrowth(server, before))] })
  }
}

/** Returns a complaint if the server has grown too much. Collects garbage first, because the garbage of large requests varies by 150 MB. */
async function findGrowth(server: ServerProcess, before: number): Promise<readonly string[]> {
  await server.measureUsedHeap()
  const growth = server.readMemory() - before
  return growth > maxGrowth ? [`the waiting events took ${formatMegabytes(growth)}`] : []
}

/** Sends large requests while the disk accepts nothing. They are answered, and the memory is bounded. Then the disk continues. */
export async function runStalledDisk(round: AuditRound): Promise<void> {
  const pipe = join(round.directory, `pipe-${round.number}`)
  execFileSync('mkfifo', [pipe])
  const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const flags = ['--audit-log-maxsize=0', `--audit-log-path=${pipe}`, '--audit-log-mode=batch']
    await using server = await start(round, [...createPolicyFlags(round, 'RequestResponse'), ...flags])
    const before = server.readMemory()
    const answered = await sendAudited(server, { prefix: `r${round.number}`, clients, requests: largeRequests, bodySize })
    const problems = [...findUnanswered(answered), ...(await findGrowth(server, before))]
    if ((await countLost(server)) === 0) problems.push('no event was lost, so that the bound was not reached')
    // A log of all events would be longer than the longest string.
    if (problems.length > 0) return judge(round, { answered, events: [], problems })
    const text = await readWhileStopping(reader, server)
    const events = parseLog(text, false)
    const recorded = new Set(events.map(({ auditID }) => auditID))
    if (!answered.slice(0, 50).every(({ id }) => recorded.has(id))) problems.push('the first events are lost')
    judge(round, { answered, events, problems })
  } finally {
    await reader.close()
  }
}

/** Returns the number of events that were lost because too many waited. */
async function countLost({ port, token }: ServerProcess): Promise<number> {
  using client = new Http2Client(`https://127.0.0.1:${port}`, token)
  const { body } = await client.request('GET', '/metrics')
  return Number(/^apiserver_audit_error_total\{plugin="buffered"\} (\d+)/m.exec(body.toString())?.[1] ?? 0)
}

function findUnanswered(answered: readonly AnsweredRequest[]): string[] {
  const created = answered.filter(({ status }) => status === 201).length
  return created === largeRequests ? [] : [`only ${created} of ${largeRequests} requests succeeded`]
}

/** Stops a server, and returns all that it writes to a pipe until then. */
async function readWhileStopping(reader: Awaited<ReturnType<typeof open>>, server: ServerProcess): Promise<string> {
  const stopped = server.stop()
  const chunks: Buffer[] = []
  for (let isRunning = true; ;) {
    const { bytesRead, buffer } = await reader.read(Buffer.alloc(2 ** 16)).catch(() => ({ bytesRead: 0, buffer: Buffer.alloc(0) }))
    if (bytesRead > 0) {
      chunks.push(buffer.subarray(0, bytesRead))
      continue
    }
    if (!isRunning) return Buffer.concat(chunks).toString()
    isRunning = await Promise.race([stopped.then(() => false), wait(5).then(() => true)])
  }
}

/** Sends large requests while the webhook accepts connections and does not answer. */
async function runDeadWebhook(round: AuditRound): Promise<void> {
  const hook = createServer(() => {})
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`
    const batch = ['--audit-webhook-batch-throttle-enable=false', '--audit-webhook-batch-max-wait=100ms']
    const flags = [...(await createWebhookFlags(round, url, 'batch')), ...batch]
    await using server = await start(round, [...createPolicyFlags(round, 'RequestResponse'), ...flags])
    const before = server.readMemory()
    const answered = await sendAudited(server, { prefix: `r${round.number}`, clients, requests: largeRequests, bodySize })
    const problems = [...findUnanswered(answered), ...(await findGrowth(server, before))]
    if ((await countLost(server)) === 0) problems.push('no event was lost, so that the bound was not reached')
    judge(round, { answered, events: [], problems })
  } finally {
    hook.closeAllConnections()
    hook.close()
  }
}

/** Sends requests while nothing listens at the address of the webhook. */
async function runRefusingWebhook(round: AuditRound): Promise<void> {
  for (const mode of ['blocking-strict', 'blocking'] as const) {
    const flags = await createWebhookFlags(round, 'http://127.0.0.1:1', mode)
    await using server = await start(round, [...createPolicyFlags(round), ...flags])
    const answered = await sendAudited(server, { prefix: mode, clients, requests: 100 })
    const wrong = answered.filter(({ status }) => (mode === 'blocking' ? status >= 500 : status !== 500))
    const problems = wrong.map(({ status, body }) => `${mode}: got ${status} ${body.slice(0, 100)}`)
    if (answered.length < 100) problems.push(`${mode}: only ${answered.length} requests were answered`)
    judge(round, { answered, events: [], problems })
  }
}
