import { expect, it, test } from 'vitest'
import { createEvent } from '../event.fixture.ts'
import { encodeReference, formatNanoTime } from './event-json.ts'
import { formatLegacyLine } from './legacy-line.ts'

it('has the members of kube-apiserver in its order', () => {
  const event = createEvent({
    level: 'RequestResponse',
    impersonatedUser: { name: 'bob', uid: 'u', groups: [], extra: { b: ['2'], a: ['1'] } },
    impersonationConstraint: 'impersonate:user-info',
    objectRef: encodeReference({
      resource: 'pods',
      namespace: 'default',
      name: 'a',
      uid: 'x',
      apiGroup: '',
      apiVersion: 'v1',
      resourceVersion: '7',
      subresource: 'log',
    }),
    status: { status: 'Failure', message: 'no <b>', reason: 'Forbidden', code: 403 },
    requestObject: '{"a":1}',
    responseObject: '{"b":2}',
    annotations: { 'z/z': '1', 'a/a': '"' },
  })
  expect(event.line).toBe(
    [
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id-1","stage":"ResponseComplete"',
      '"requestURI":"/api/v1/namespaces/default/pods/a","verb":"get","user":{"username":"alice","groups":["dev"]}',
      '"impersonatedUser":{"username":"bob","uid":"u","extra":{"a":["1"],"b":["2"]}}',
      '"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"}',
      '"sourceIPs":["127.0.0.1"],"userAgent":"kubectl/v1.36.4"',
      '"objectRef":{"resource":"pods","namespace":"default","name":"a","uid":"x","apiVersion":"v1","resourceVersion":"7","subresource":"log"}',
      '"responseStatus":{"metadata":{},"status":"Failure","message":"no \\u003cb\\u003e","reason":"Forbidden","code":403}',
      '"requestObject":{"a":1},"responseObject":{"b":2}',
      '"requestReceivedTimestamp":"2026-01-02T02:50:45.000250Z","stageTimestamp":"2026-01-02T02:50:45.001500Z"',
      '"annotations":{"a/a":"\\"","z/z":"1"}}',
    ].join(','),
  )
  expect(JSON.parse(event.line)).toMatchObject({ responseStatus: { message: 'no <b>' } })
})

it('escapes texts of clients', () => {
  const { line } = createEvent({ userAgent: 'a"\n<\u2028', requestUri: '/?q="', auditId: '\\' })
  expect(JSON.parse(line)).toMatchObject({ userAgent: 'a"\n<\u2028', requestURI: '/?q="', auditID: '\\' })
})

it('loses its objects when it is truncated', () => {
  const event = createEvent({ level: 'Request', requestObject: '{"a":1}', annotations: { x: 'y' } })
  expect(JSON.parse(event.withoutObjects().line)).toMatchObject({ annotations: { x: 'y', 'audit.k8s.io/truncated': 'true' } })
  expect(event.withoutObjects().line).not.toContain('requestObject')
  expect(event.line).toContain('requestObject')
})

it('has a line of text', () => {
  const event = createEvent({ user: { name: 'alice', groups: ['a', 'b'] } })
  expect(formatLegacyLine(event.summary)).toBe(
    String.raw`2026-01-02T02:50:45.00025Z AUDIT: id="id-1" stage="ResponseComplete" ip="127.0.0.1" method="get" user="alice" groups="\"a\",\"b\"" as="<self>" asgroups="<lookup>" user-agent="kubectl/v1.36.4" namespace="<none>" uri="/api/v1/namespaces/default/pods/a" response="200"`,
  )
})

test.each([
  ['1970-01-01T00:00:00.000000Z', '1970-01-01T00:00:00Z'],
  ['2026-01-02T02:50:45.999999Z', '2026-01-02T02:50:45.999999Z'],
  ['2026-01-02T02:50:50.500000Z', '2026-01-02T02:50:50.5Z'],
])('shortens the time %s', (time, text) => {
  expect(formatNanoTime(time)).toBe(text)
})
