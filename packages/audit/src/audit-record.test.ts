import type { Exchange, RequestAudit } from '@keelson/exchange'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, it } from 'vitest'
import { createAuditMetrics, createAuditor } from './auditor.ts'
import type { AuditEvent } from './events/audit-event.ts'
import { compilePolicy } from './policy/evaluate-policy.ts'

const socket = { remoteAddress: '127.0.0.1' }
const alice = { name: 'alice', groups: [] }
const uri = '/api/v1/namespaces/a/pods/b'

interface Sent {
  readonly requestUri?: string
  readonly user?: { readonly name: string; readonly groups: readonly string[] }
  readonly userAgent?: string
  readonly headers?: Readonly<Record<string, string>>
}

function readLine(event: AuditEvent): string {
  const { template } = event
  if (template === undefined) return event.line
  const target = Buffer.alloc(template.size)
  event.writeCopy(template, target, 0)
  return target.toString()
}

/** Records one request of a connection. Returns its last event. */
function record(
  { requestUri = uri, user = alice, userAgent = 'a', headers = {} }: Sent,
  handle: (audit: RequestAudit) => void = () => {},
  requestId: string = crypto.randomUUID(),
): Record<string, unknown> {
  const lines: string[] = []
  const auditor = createAuditor({
    evaluate: compilePolicy({ rules: [{ level: 'Metadata' }] }),
    backend: { process: (event) => void lines.push(readLine(event)), close: () => Promise.resolve() },
    metrics: createAuditMetrics(createMetricsRegistry()),
    isStrict: false,
  })
  const [, , , , namespace = '', resource = '', name = ''] = requestUri.split('/')
  let audit: RequestAudit | undefined
  auditor.open({
    setAudit: (opened: RequestAudit) => (audit = opened),
    onEnd: () => {},
    incoming: { socket, headers },
    target: { text: requestUri },
    requestor: user,
    requestId,
    started: performance.now(),
    userAgent,
    attributes: { isResourceRequest: true, verb: 'get', apiGroup: '', apiVersion: 'v1', namespace, resource, name, subresource: '' },
  } as unknown as Exchange)
  void audit!.begin()
  audit!.recordDecision('allow', `for ${user.name}`)
  handle(audit!)
  audit!.respond(200)
  void audit!.complete()
  expect(lines.length).toBe(2)
  return JSON.parse(lines[1]!) as Record<string, unknown>
}

it('records equal requests of a connection with their own ids', () => {
  const [first, second] = [record({}), record({})]
  expect(first['auditID']).not.toBe(second['auditID'])
  const time = expect.any(String) as string
  expect(second).toEqual({ ...first, auditID: second['auditID'], requestReceivedTimestamp: time, stageTimestamp: time })
})

it('keeps what is special about a request out of the lines of later ones', () => {
  record({})
  const equal = record({})
  const note = (audit: RequestAudit): void => audit.annotate('a/b', 'c')
  expect(record({}, note)['annotations']).toEqual({ ...(equal['annotations'] as object), 'a/b': 'c' })
  const refuse = (audit: RequestAudit): void => audit.recordStatus({ kind: 'Status', apiVersion: 'v1', metadata: {}, message: 'no' })
  expect(record({}, refuse)['responseStatus']).toEqual({ metadata: {}, message: 'no', code: 200 })
  expect(record({ headers: { 'audit-id': '"' } }, undefined, '"')['auditID']).toBe('"')
  for (const key of ['annotations', 'responseStatus']) expect(record({})[key]).toEqual(equal[key])
})

it.each<[string, Sent, Record<string, unknown>]>([
  ['URI', { requestUri: '/api/v1/namespaces/a/pods/c' }, { objectRef: { resource: 'pods', namespace: 'a', name: 'c', apiVersion: 'v1' } }],
  ['user', { user: { name: 'bob', groups: [] } }, { user: { username: 'bob' }, annotations: { 'authorization.k8s.io/reason': 'for bob' } }],
  ['user agent', { userAgent: 'b' }, { userAgent: 'b' }],
  ['origin', { headers: { 'x-real-ip': '10.0.0.1' } }, { sourceIPs: ['10.0.0.1', '127.0.0.1'] }],
])('records the %s of each request of a connection', (_, sent, expected) => {
  record({})
  expect(record(sent)).toMatchObject(expected)
  expect(record({})).toMatchObject({ requestURI: uri, user: { username: 'alice' }, userAgent: 'a', sourceIPs: ['127.0.0.1'] })
})
