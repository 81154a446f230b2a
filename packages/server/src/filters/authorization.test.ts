import type { AuthorizerAttributes, Decision } from '@keelson/auth'
import type { RequestAudit } from '@keelson/exchange'
import { expect, test } from 'vitest'
import { authorize } from './authorization.ts'
import { openTestExchange } from './exchange.fixture.ts'

const decisions: string[] = []
const access = { recordAuthorization: (decision: string) => void decisions.push(decision) }

test.each([
  ['at once', (decision: Decision) => decision],
  ['later', (decision: Decision) => Promise.resolve(decision)],
])('decides %s from the user and the request attributes', async (_, answer) => {
  const requests: AuthorizerAttributes[] = []
  const filter = authorize(
    {
      authorize: (attributes) => {
        requests.push(attributes)
        return answer(requests.length === 1 ? { decision: 'allow', reason: '' } : { decision: 'noOpinion', reason: 'because' })
      },
    },
    access,
  )
  const { exchange, response } = openTestExchange('/api/v1/namespaces/n/pods/p')
  exchange.user = { name: 'alice', groups: [] }
  expect(await filter(exchange)).toBeUndefined()
  expect(requests[0]).toEqual({ user: exchange.user, action: exchange.attributes })
  expect(await filter(exchange)).toBe('answered')
  const status = (await (await response).json()) as object
  expect(status).toMatchObject({ code: 403, message: expect.stringContaining('User "alice" cannot get resource "pods"') as string })
  expect(decisions.splice(0)).toEqual(['allow', 'noOpinion'])
})

test('answers 500 with the reason if an authorizer could not decide', async () => {
  const filter = authorize({ authorize: () => ({ decision: 'noOpinion', reason: '', error: 'the webhook is down' }) }, access)
  const { exchange, response } = openTestExchange('/api/v1/pods?limit=1')
  exchange.user = { name: 'alice', groups: [] }
  expect(await filter(exchange)).toBe('answered')
  const answer = await response
  expect([answer.status, await answer.text()]).toEqual([500, 'Internal Server Error: "/api/v1/pods?limit=1": the webhook is down\n'])
  expect(decisions.splice(0)).toEqual(['error'])
})

test('annotates the audit event with the decision', async () => {
  const answers: Decision[] = [
    { decision: 'allow', reason: 'RBAC: allowed' },
    { decision: 'noOpinion', reason: '' },
    { decision: 'deny', reason: 'no' },
    { decision: 'noOpinion', reason: '', error: 'the webhook is down' },
  ]
  const filter = authorize({ authorize: () => answers.shift()! }, access)
  for (const [decision, reason] of [
    ['allow', 'RBAC: allowed'],
    ['forbid', ''],
    ['forbid', 'no'],
    [undefined, 'internal error'],
  ]) {
    const annotations: Record<string, string> = {}
    const { exchange } = openTestExchange('/api/v1/nodes')
    exchange.audit = {
      addLatency: () => {},
      recordStatus: () => {},
      respond: () => {},
      complete: () => undefined,
      annotate: (key: string, value: string) => void (annotations[key] = value),
      recordDecision: (decided: string, because: string) =>
        Object.assign(annotations, { 'authorization.k8s.io/decision': decided, 'authorization.k8s.io/reason': because }),
    } as unknown as RequestAudit
    await filter(exchange)
    expect([annotations['authorization.k8s.io/decision'], annotations['authorization.k8s.io/reason']]).toEqual([decision, reason])
  }
  decisions.length = 0
})
