import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { startRecorder } from '@keelson/tooling-e2e/audit-recorder'
import type { Recorder } from '@keelson/tooling-e2e/audit-recorder'
import { startEtcd } from '@keelson/tooling-e2e/etcd-process'
import { findEtcd } from '@keelson/tooling-e2e/find-etcd'
import { startKeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import { startKubeApiserver } from '@keelson/tooling-e2e/kube-apiserver-process'
import { writeKubeconfig } from '@keelson/tooling-e2e/write-kubeconfig'
import type { Step } from '../cases/case.ts'
import { generateCase } from '../cases/generate.ts'
import { isObject } from '../cases/locations.ts'
import { Random } from '../cases/random.ts'
import { listSubjects } from '../compare.ts'
import { findFirstDifference } from '../judge/first-difference.ts'
import type { Difference } from '../judge/first-difference.ts'
import { Normalizer, sortCauses } from '../judge/normalize.ts'
import { playCase } from '../play/play-case.ts'
import { openNamespace } from '../play/run-namespace.ts'
import { Server } from '../play/server.ts'
import { scenarios } from '../scenarios/index.ts'
import { auditPolicies } from './policies.ts'

export interface AuditOptions {
  /** Path of kube-apiserver. */
  readonly program: string
  readonly seed: number
  /** Number of requests, over all policies. */
  readonly requests: number
}

export interface DifferentEvents extends Difference {
  readonly policy: string
  readonly step: Step
}

export interface AuditComparison {
  readonly requests: number
  /** Number of events that kube-apiserver sent for these requests. */
  readonly events: number
  readonly differences: readonly DifferentEvents[]
}

/** Sends the same requests to kube-apiserver and to Keelson under the same audit policies, and compares the events that a webhook gets. */
export async function compareAudit({ program, seed, requests }: AuditOptions): Promise<AuditComparison> {
  const differences: DifferentEvents[] = []
  let [sent, events] = [0, 0]
  for (const [i, { name, policy }] of auditPolicies.entries()) {
    const share = Math.ceil(requests / auditPolicies.length)
    const result = await compareWithPolicy({ program, policy, seed: seed + i * 1_000_000, requests: share })
    differences.push(...result.differences.map((difference) => ({ ...difference, policy: name })))
    sent += result.requests
    events += result.events
  }
  return { requests: sent, events, differences }
}

interface PolicyRun extends AuditOptions {
  readonly policy: object
}

type SentSteps = Map<string, Step>

async function compareWithPolicy(
  run: PolicyRun,
): Promise<Omit<AuditComparison, 'differences'> & { differences: Omit<DifferentEvents, 'policy'>[] }> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-audit-'))
  await using recorder = await startRecorder()
  try {
    const createFlags = (name: string): Promise<readonly string[]> =>
      writeAuditFiles(directory, run.policy, { name, url: recorder.url(name) })
    await using etcd = await startEtcd(findEtcd() ?? '')
    await using kubeApiserver = await startKubeApiserver(run.program, etcd.url, await createFlags('reference'))
    await using keelson = await startKeelsonProcess({ controllers: 'none', flags: await createFlags('candidate') })
    using reference = new Server(kubeApiserver.url, kubeApiserver.token)
    using candidate = new Server(keelson.url, keelson.token)
    const steps = await playRequests(reference, candidate, run)
    await Promise.all([recorder.quiet('reference'), recorder.quiet('candidate')])
    return { requests: steps.size, ...compareEvents(recorder, steps) }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function writeAuditFiles(
  directory: string,
  policy: object,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<readonly string[]> {
  const policyFile = path.join(directory, 'policy.json')
  writeFileSync(policyFile, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...policy }))
  const kubeconfig = await writeKubeconfig(path.join(directory, `${name}.kubeconfig`), { url, token: 'recorder' })
  return [
    `--audit-policy-file=${policyFile}`,
    `--audit-webhook-config-file=${kubeconfig}`,
    '--audit-webhook-batch-max-wait=200ms',
    '--audit-webhook-batch-throttle-qps=1000',
  ]
}

/** Plays random cases on both servers. Each request has an audit id. Returns the requests by audit id. */
async function playRequests(reference: Server, candidate: Server, { seed, requests }: PolicyRun): Promise<SentSteps> {
  const namespace = `audit-${randomUUID().slice(0, 8)}`
  const subjects = await listSubjects(reference, candidate)
  const random = new Random(seed)
  await using _referenceNamespace = await openNamespace(reference, namespace)
  await using _candidateNamespace = await openNamespace(candidate, namespace)
  const steps: SentSteps = new Map()
  for (let caseSeed = seed; steps.size < requests; caseSeed++) {
    const generated = generateCase(caseSeed, { scenarios, subjects, wanted: () => true })!
    const identified = generated.steps.map((step) => (step.method === 'COLLECT' ? step : identify(step, pickUser(random))))
    const { answers, difference } = await playCase({ reference, candidate, namespace }, { steps: identified })
    // A request whose responses differ has different events too. The other comparisons find those.
    const alike = identified.slice(0, difference === undefined ? answers.length : difference.stepIndex)
    for (const step of alike) if (step.method !== 'COLLECT') steps.set(step.headers!['audit-id']!, step)
  }
  return steps
}

/** Adds an audit id and the headers of a user to a request. */
function identify(step: Step, user: Readonly<Record<string, string>>): Step {
  return { ...step, headers: { ...step.headers, ...user, 'audit-id': randomUUID() } }
}

/** Returns headers of another user for some requests. */
function pickUser(random: Random): Readonly<Record<string, string>> {
  switch (random.weighted({ admin: 80, alice: 6, nobody: 4, impersonated: 5, forwarded: 3, wrong: 2 })) {
    case 'alice':
      return { authorization: 'Bearer alicetoken' }
    case 'nobody':
      return { authorization: '' }
    case 'impersonated':
      return { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters', 'user-agent': 'x'.repeat(random.pick([3, 1100])) }
    case 'forwarded':
      return { 'x-forwarded-for': '10.1.2.3, 2001:0db8::1, nonsense', 'x-real-ip': '10.9.9.9' }
    case 'wrong':
      return { authorization: random.pick(['Bearer wrong', 'Basic YTpi']) }
    default:
      return {}
  }
}

function compareEvents(
  recorder: Recorder,
  steps: SentSteps,
): Pick<AuditComparison, 'events'> & { differences: Omit<DifferentEvents, 'policy'>[] } {
  const [wanted, gotten] = ['reference', 'candidate'].map((name) => groupByRequest(recorder.events(name)))
  const differences: Omit<DifferentEvents, 'policy'>[] = []
  let events = 0
  for (const [id, step] of steps) {
    const [want, got] = [wanted!.get(id) ?? [], gotten!.get(id) ?? []]
    events += want.length
    const difference = compareEventsOf(step, want, got)
    if (difference !== undefined) differences.push({ ...difference, step })
  }
  return { events, differences }
}

function groupByRequest(events: readonly JsonObject[]): ReadonlyMap<string, readonly JsonObject[]> {
  const groups = new Map<string, JsonObject[]>()
  for (const event of events) {
    const id = readText(event, 'auditID')
    groups.set(id, [...(groups.get(id) ?? []), event])
  }
  return groups
}

/**
 * Compares the events of a request. If only their number differs, kube-apiserver got the request several times: failed requests are repeated,
 * because it chooses some errors at random.
 */
function compareEventsOf(step: Step, want: readonly JsonObject[], got: readonly JsonObject[]): Difference | undefined {
  const difference = findFirstDifference(normalizeEvents(want, step), normalizeEvents(got, step))
  if (difference === undefined || want.length <= got.length) return difference
  const normal = normalizeEvents(got, step)
  const isAlike = splitAttempts(want).some((attempt) => findFirstDifference(normalizeEvents(attempt, step), normal) === undefined)
  return isAlike ? undefined : difference
}

/** Splits the events of a request that was sent several times. */
function splitAttempts(events: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const attempts: JsonObject[][] = [[]]
  const counts = new Map<string, number>()
  for (const event of events) {
    const stage = readText(event, 'stage')
    const attempt = counts.get(stage) ?? 0
    counts.set(stage, attempt + 1)
    ;(attempts[attempt] ??= []).push(event)
  }
  return attempts
}

function readText(event: JsonObject, member: string): string {
  const value = event[member]
  return typeof value === 'string' ? value : ''
}

const stageOrder = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']

function normalizeEvents(events: readonly JsonObject[], step: Step): ReturnType<Normalizer['answer']> {
  const ordered = events.toSorted((a, b) => stageOrder.indexOf(readText(a, 'stage')) - stageOrder.indexOf(readText(b, 'stage')))
  // The scheme's name in a message depends on how kube-apiserver was built.
  const text = JSON.stringify(ordered.map(withoutChosenValues)).replaceAll(/in scheme \\"[^"]*\\"/g, 'in scheme')
  const body = JSON.parse(text) as JsonValue
  return new Normalizer({ sortsManagedFields: true }).answer({ code: 200, type: '', body }, step)
}

/** Removes values that depend on the speed of the server, its port or its revisions. Sorts the causes of errors. */
function withoutChosenValues(event: JsonObject): JsonValue {
  const annotations = isObject(event['annotations']) ? Object.entries(event['annotations']) : []
  const kept = annotations.filter(([name]) => !name.startsWith('apiserver.latency.k8s.io/'))
  const { annotations: _, responseStatus, responseObject, ...members } = event
  return {
    ...members,
    requestURI: readText(event, 'requestURI').replace(/continue=[^&]{20,}/, 'continue=…'),
    ...(responseStatus !== undefined && { responseStatus: sortCauses(responseStatus) }),
    ...(responseObject !== undefined && { responseObject: sortCauses(responseObject) }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
  }
}
