import { parseFieldSelector, parseLabelSelector, createPathAction, createResourceAction } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createManualClock, settle } from '@keelson/apimachinery/testing'
import { OutboundError } from '@keelson/outbound'
import type { OutboundAnswer, OutboundRequest } from '@keelson/outbound'
import { describe, expect, test } from 'vitest'
import { createAuthorizationMetrics } from '../authorization-metrics.ts'
import type { AuthorizerAttributes } from '../authorizer.ts'
import { createWebhookAuthorizer } from './webhook-authorizer.ts'
import type { WebhookAuthorizerOptions } from './webhook-authorizer.ts'

const attributes: AuthorizerAttributes = {
  user: { name: 'alice', uid: 'u', groups: ['dev'], extra: { b: ['2'], a: ['1'] } },
  action: createResourceAction({ verb: 'get', resource: 'pods', apiVersion: 'v1', namespace: 'n', name: 'p' }),
}

type Answers = readonly (object | number | string | OutboundError)[]

function open(answers: Answers, options: Partial<WebhookAuthorizerOptions> = {}) {
  const requests: OutboundRequest[] = []
  const clock = createManualClock()
  const registry = createMetricsRegistry()
  const request = async (sent: OutboundRequest): Promise<OutboundAnswer> => {
    const answer = answers[Math.min(requests.push(sent), answers.length) - 1]!
    if (answer instanceof OutboundError) return { failed: true, error: answer, message: `Post "https://hook/": ${answer.message}` }
    if (typeof answer === 'number') return { failed: false, status: answer, headers: {}, body: Buffer.from('told to fail') }
    const body = typeof answer === 'string' ? answer : JSON.stringify({ ...JSON.parse(sent.body as string), status: answer })
    return { failed: false, status: 200, headers: {}, body: Buffer.from(body) }
  }
  const authorizer = createWebhookAuthorizer({
    name: 'hook',
    webhook: { client: { request }, clock, headers: async () => ({ authorization: 'Bearer t' }) },
    version: 'v1',
    authorizedTtlMs: 300_000,
    unauthorizedTtlMs: 30_000,
    onError: 'noOpinion',
    metrics: createAuthorizationMetrics(registry).webhook,
    ...options,
  })
  return { authorizer, requests, clock, sent: (i = 0) => JSON.parse(requests[i]!.body as string) as object, metrics: () => registry.text() }
}

describe('requests to the webhook', () => {
  test('describe an action on a resource as v1', async () => {
    const { authorizer, requests, sent } = open([{ allowed: true }])
    const fieldSelector = parseFieldSelector('a=b,c!=d').requirements
    const labelSelector = parseLabelSelector('x in (1,2),!y,z>3').requirements
    await authorizer.authorize({ ...attributes, action: { ...attributes.action, fieldSelector, labelSelector } })
    expect(sent()).toEqual({
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: {
        resourceAttributes: {
          namespace: 'n',
          verb: 'get',
          version: 'v1',
          resource: 'pods',
          name: 'p',
          fieldSelector: {
            requirements: [
              { key: 'a', operator: 'In', values: ['b'] },
              { key: 'c', operator: 'NotIn', values: ['d'] },
            ],
          },
          labelSelector: {
            requirements: [
              { key: 'x', operator: 'In', values: ['1', '2'] },
              { key: 'y', operator: 'DoesNotExist' },
            ],
          },
        },
        user: 'alice',
        groups: ['dev'],
        extra: { a: ['1'], b: ['2'] },
        uid: 'u',
      },
      status: { allowed: false },
    })
    expect(requests[0]).toMatchObject({ method: 'POST', timeoutMs: 30_000, headers: { authorization: 'Bearer t' } })
  })

  test('describe an action on a path as v1beta1', async () => {
    const { authorizer, sent } = open([{ allowed: true }], { version: 'v1beta1' })
    await authorizer.authorize({ user: { name: 'bob', groups: ['g'] }, action: createPathAction('get', '/version') })
    expect(sent()).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { nonResourceAttributes: { path: '/version', verb: 'get' }, user: 'bob', group: ['g'] },
    })
  })
})

test.each([
  [
    { allowed: true, reason: 'yes' },
    { decision: 'allow', reason: 'yes' },
  ],
  [
    { allowed: false, reason: 'hm' },
    { decision: 'noOpinion', reason: 'hm' },
  ],
  [
    { denied: true, reason: 'no' },
    { decision: 'deny', reason: 'no' },
  ],
  [
    { allowed: true, denied: true },
    { decision: 'deny', reason: '', error: 'webhook subject access review returned both allow and deny response' },
  ],
])('maps the response %j to the decision %j', async (status, decision) => {
  expect(await open([status]).authorizer.authorize(attributes)).toEqual(decision)
})

test('caches allowed and refused answers by the whole spec, each for its own TTL', async () => {
  const { authorizer, requests, clock } = open([{ allowed: true }, { allowed: false }])
  const authorizeUser = async (name: string) => authorizer.authorize({ ...attributes, user: { ...attributes.user, name } })
  await authorizeUser('a')
  await authorizeUser('b')
  clock.advance(29_999)
  expect([(await authorizeUser('a')).decision, (await authorizeUser('b')).decision, requests.length]).toEqual(['allow', 'noOpinion', 2])
  clock.advance(1)
  await authorizeUser('a')
  await authorizeUser('b')
  expect(requests.length).toBe(3)
  clock.advance(270_000)
  await authorizeUser('a')
  expect(requests.length).toBe(4)
})

test('does not cache requests with long attributes', async () => {
  const { authorizer, requests } = open([{ allowed: true }])
  const long = { ...attributes, action: { ...attributes.action, name: 'x'.repeat(10_000) } }
  await authorizer.authorize(long)
  await authorizer.authorize(long)
  expect(requests.length).toBe(2)
})

describe('failed calls of the webhook', () => {
  test('are retried up to five times if they are transient', async () => {
    const { authorizer, requests, clock, metrics } = open([
      500,
      new OutboundError('reset', 'read: connection reset by peer'),
      429,
      { allowed: true },
    ])
    const decision = authorizer.authorize(attributes)
    for (const _ of [1, 2, 3]) {
      await settle()
      clock.advance(2000)
    }
    expect(await decision).toEqual({ decision: 'allow', reason: '' })
    expect(requests.length).toBe(4)
    expect(metrics()).toContain('apiserver_authorization_webhook_evaluations_total{name="hook",result="error"} 3')
    expect(metrics()).toContain('apiserver_authorization_webhook_evaluations_total{name="hook",result="success"} 1')
  })

  test.each([
    [503, 'the server is currently unable to handle the request'],
    ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    [
      '{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1beta1"}',
      'converting (v1beta1.SubjectAccessReview) to (v1.SubjectAccessReview): unknown conversion',
    ],
    [
      '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not today","code":403}',
      'converting (v1.Status) to (v1.SubjectAccessReview): unknown conversion',
    ],
    [new OutboundError('timeout', 'context deadline exceeded'), 'Post "https://hook/": context deadline exceeded'],
  ])('are the error of the decision and are not retried: %s', async (answer, error) => {
    const { authorizer, requests } = open([answer])
    expect(await authorizer.authorize(attributes)).toEqual({ decision: 'noOpinion', reason: '', error })
    expect(requests.length).toBe(1)
  })

  test('deny the request if onError is deny', async () => {
    const { authorizer, metrics } = open([404], { onError: 'deny' })
    expect(await authorizer.authorize(attributes)).toMatchObject({
      decision: 'deny',
      error: 'the server could not find the requested resource',
    })
    expect(metrics()).not.toContain('fail_open_total{')
  })

  test('are counted if the request continues without an opinion', async () => {
    const { authorizer, metrics } = open([new OutboundError('timeout', 'context deadline exceeded')])
    await authorizer.authorize(attributes)
    expect(metrics()).toContain('apiserver_authorization_webhook_evaluations_fail_open_total{name="hook",result="timeout"} 1')
  })
})

test('calls the webhook only if all match conditions are true', async () => {
  const outcomes = [{ matches: false }, { matches: false, error: 'no such key' }, { matches: true }]
  const { authorizer, requests } = open([{ allowed: true }], { matchConditions: { matches: () => outcomes.shift()! }, onError: 'deny' })
  expect(await authorizer.authorize(attributes)).toEqual({ decision: 'noOpinion', reason: '' })
  expect(await authorizer.authorize(attributes)).toEqual({ decision: 'deny', reason: '', error: 'no such key' })
  expect(requests.length).toBe(0)
  expect(await authorizer.authorize(attributes)).toEqual({ decision: 'allow', reason: '' })
})
