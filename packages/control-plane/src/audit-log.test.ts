import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askServer, askServerForText } from './ask-server.fixture.ts'
import { locateLog, readEvents, writePolicy } from './audit-files.fixture.ts'
import type { Event } from './audit-files.fixture.ts'
import type { AuditOptions } from './options/audit.ts'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const pods = '/api/v1/namespaces/default/configmaps'
let directory: string
let chain: ServerChain | undefined
beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'keelson-audit-'))))
afterEach(async () => {
  await chain?.close()
  chain = undefined
  await rm(directory, { recursive: true })
})

async function start(
  rules: string,
  audit: Omit<AuditOptions, 'policyFile'> = { log: { path: locateLog(directory) } },
): Promise<ServerChain> {
  const policyFile = await writePolicy(directory, rules)
  return (chain = await startChain({ audit: { policyFile, ...audit } }))
}

const create = (name: string, token?: string) =>
  askServer<Record<string, unknown>>(chain!, 'POST', pods, {
    body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { a: '1' } },
    token,
  })

it('records each stage of a request before its response', async () => {
  await start('rules: [{level: RequestResponse}]')
  await create('a')
  const [received, complete] = (await readEvents(directory)).slice(-2)
  expect(received).toMatchObject({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    stage: 'RequestReceived',
    requestURI: pods,
    verb: 'create',
    user: { groups: expect.arrayContaining(['system:masters']) as string[] },
    sourceIPs: ['127.0.0.1'],
    objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
  })
  expect(received).not.toHaveProperty('responseStatus')
  expect(complete).toMatchObject({
    auditID: received!.auditID,
    stage: 'ResponseComplete',
    objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { a: '1' } },
    responseObject: { kind: 'ConfigMap', metadata: { name: 'a', uid: expect.any(String) as string } },
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
  })
})

it('records only what the policy requires', async () => {
  await start(
    'omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{level: None, nonResourceURLs: ["/version"]}, {level: Request, verbs: [create]}, {level: RequestResponse, verbs: [list]}, {level: Metadata}]',
  )
  await create('a')
  await askServer(chain!, 'GET', '/version')
  await askServer(chain!, 'GET', `${pods}/a`)
  await askServer(chain!, 'GET', `${pods}?fieldSelector=metadata.name=a`)
  const events = (await readEvents(directory)).slice(-3)
  expect(events.map(({ verb, level, stage }) => `${verb} ${level} ${stage}`)).toEqual([
    'create Request ResponseComplete',
    'get Metadata ResponseComplete',
    'list RequestResponse ResponseComplete',
  ])
  const [created, read, listed] = events
  expect([created!.requestObject !== undefined, created!.responseObject]).toEqual([true, undefined])
  expect([read!.requestObject, read!.responseObject]).toEqual([undefined, undefined])
  expect(JSON.stringify(listed!.responseObject)).toContain('"name":"a"')
  expect(JSON.stringify(listed!.responseObject)).not.toContain('managedFields')
})

it('records the objects of responses as JSON, whatever the client accepts', async () => {
  await start('rules: [{level: RequestResponse}]')
  await create('a')
  const user = { name: 'me', groups: ['system:masters'] }
  for (const accept of ['application/vnd.kubernetes.protobuf', 'application/yaml', 'application/json;as=Table;v=v1;g=meta.k8s.io']) {
    const answer = await chain!.fetch(pods, { user, headers: { accept } })
    await answer.arrayBuffer()
    const event = (await readEvents(directory)).at(-1)!
    const names = JSON.stringify(event.responseObject)
    expect([event.responseObject!['kind'], names.includes('"a"')]).toEqual([accept.includes('Table') ? 'Table' : 'ConfigMapList', true])
  }
})

it('records refused requests with their reasons', async () => {
  await start('rules: [{level: Metadata}]')
  const refused = await askServerForText(chain!, 'GET', pods, { token: 'wrong' })
  expect(refused.status).toBe(401)
  const anonymous = await chain!.fetch(`${pods}/a`)
  expect(anonymous.status).toBe(403)
  const events = (await readEvents(directory)).slice(-3)
  expect(events[0]).toMatchObject({
    stage: 'ResponseStarted',
    user: {},
    responseStatus: { message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
  })
  expect(events[2]).toMatchObject({
    stage: 'ResponseComplete',
    user: { username: 'system:anonymous' },
    responseStatus: { reason: 'Forbidden', code: 403 },
    annotations: { 'authorization.k8s.io/decision': 'forbid' },
  })
})

it('records when a watch begins and ends, and who is impersonated', async () => {
  await start('rules: [{level: Metadata}]')
  const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' }
  const user = { name: 'me', groups: ['system:masters'] }
  const answer = await chain!.fetch(`${pods}?watch=1&timeoutSeconds=1`, { user, headers })
  await answer.text()
  await expect.poll(async () => (await readEvents(directory)).at(-1)!.stage).toBe('ResponseComplete')
  const events = (await readEvents(directory)).slice(-3)
  expect(events.map(({ stage, verb }) => `${verb} ${stage}`)).toEqual([
    'watch RequestReceived',
    'watch ResponseStarted',
    'watch ResponseComplete',
  ])
  expect(events[1]).toMatchObject({ user: { username: 'me' }, impersonatedUser: { username: 'bob' }, responseStatus: { code: 200 } })
})

it('records events before the process is stopped', async () => {
  await start('rules: [{level: Metadata}]', { log: { path: locateLog(directory), mode: 'batch' } })
  await Promise.all(Array.from({ length: 50 }, (_, i) => create(`c${i}`)))
  await chain!.close()
  const events = await readEvents(directory)
  expect(events.filter(({ verb, stage }) => verb === 'create' && stage === 'ResponseComplete').length).toBeGreaterThanOrEqual(50)
})

describe.runIf(process.platform === 'linux')('a full disk', () => {
  // Writes to this device always fail because there is no space.
  const full = '/dev/full'
  const count = async (metric: string): Promise<number> => {
    const { text } = await askServerForText(chain!, 'GET', '/metrics')
    return Number(new RegExp(`^apiserver_audit_${metric} (\\d+)`, 'm').exec(text)?.[1])
  }

  it('fails requests in mode blocking-strict', async () => {
    await start('rules: [{level: Metadata, resources: [{group: "", resources: [configmaps]}]}]', {
      log: { path: full, mode: 'blocking-strict', maxSizeMegabytes: 0 },
    })
    const { status, text } = await askServerForText(chain!, 'GET', pods)
    expect([status, text]).toEqual([500, `Internal Server Error: "${pods}": failed to store audit event\n`])
    expect(await count('requests_rejected_total')).toBe(1)
  })

  it('loses only events in mode blocking', async () => {
    await start('rules: [{level: Metadata}]', { log: { path: full, maxSizeMegabytes: 0 } })
    expect((await create('a')).status).toBe(201)
    expect(await count('error_total\\{plugin="log"\\}')).toBeGreaterThan(0)
  })
})

it('sends events to a webhook', async () => {
  const lists: { readonly kind: string; readonly items: readonly Event[] }[] = []
  const hook = createServer((request, response) => {
    void request.toArray().then((chunks: readonly Buffer[]) => {
      lists.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof lists)[0])
      response.end()
    })
  })
  hook.listen(0, '127.0.0.1')
  await once(hook, 'listening')
  const kubeconfigFile = path.join(directory, 'kubeconfig')
  const server = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/events`
  await writeFile(
    kubeconfigFile,
    `{clusters: [{name: c, cluster: {server: '${server}'}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}`,
  )
  await start('rules: [{level: Metadata, verbs: [create]}]', { webhook: { kubeconfigFile, batch: { maxWaitMs: 10 } } })
  await create('a')
  await expect.poll(() => lists.flatMap(({ items }) => items).filter(({ requestURI }) => requestURI === pods).length).toBe(2)
  expect(lists[0]).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1' })
  await chain!.close()
  hook.close()
})

it.each([
  ['rules: []', 'loaded illegal policy with 0 rules'],
  ['rules: [{level: Most}]', 'rules[0].level: Unsupported value: "Most"'],
])('refuses to start with the policy %s', async (rules, problem) => {
  const policyFile = await writePolicy(directory, rules)
  await expect(createServerChain({ audit: { policyFile, log: { path: locateLog(directory) } } })).rejects.toThrow(problem)
})
