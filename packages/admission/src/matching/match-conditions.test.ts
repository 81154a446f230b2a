import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createConstantAuthorizer } from '@keelson/auth'
import { expect, it } from 'vitest'
import { write } from '../plugin.fixture.ts'
import { buildAuthorizerVariables } from './authorizer-value.ts'
import { getMatchConditionMetrics } from './match-condition-metrics.ts'
import { MatchConditions } from './match-conditions.ts'
import type { MatchConditionResult } from './match-conditions.ts'
import { buildRequestValue } from './request-value.ts'

const pod = { metadata: { name: 'a', labels: { app: 'web' } } }

async function evaluate(
  expressions: readonly string[],
  failurePolicy?: string,
  kind: 'webhook' | 'policy' = 'webhook',
): Promise<{ readonly result: MatchConditionResult; readonly metrics: string }> {
  const registry = createMetricsRegistry()
  const conditions = new MatchConditions({
    name: 'hook',
    kind,
    type: 'admit',
    conditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
    failurePolicy,
    hasParams: false,
    metrics: getMatchConditionMetrics(registry),
  })
  const attributes = write('pods', pod)
  const activation = {
    object: pod,
    oldObject: null,
    request: buildRequestValue(attributes, attributes.kind),
    namespaceObject: null,
    ...buildAuthorizerVariables(createConstantAuthorizer({ decision: 'allow', reason: 'test' }), attributes),
  }
  const result = await conditions.match(activation, 'CREATE')
  const counts = [...registry.text().matchAll(/^apiserver_admission_match_condition_(\w+)\{(?!.*le=).*\} ([1-9]\d*)$/gm)]
  return { result, metrics: counts.map(([, name, count]) => `${name} ${count}`).join(', ') }
}

const failing = "object.metadata.missing == 'x'"
const failure = `expression '${failing}' resulted in error: no such key: missing`

it.each<[readonly string[], MatchConditionResult, string]>([
  [[], { matches: true }, ''],
  [["object.metadata.name == 'a'", 'request.dryRun == false'], { matches: true }, ''],
  [["request.userInfo.username == 'nobody'"], { matches: false }, 'evaluation_seconds_count 1, exclusions_total 1'],
  [["request.resource.resource == 'pods' && !has(request.subResource)"], { matches: true }, ''],
  [["authorizer.requestResource.check('get').allowed()"], { matches: true }, ''],
  [["authorizer.group('').resource('pods').check('get').reason() == 'test'"], { matches: true }, ''],
  [[failing, 'false'], { matches: false }, 'evaluation_errors_total 1, evaluation_seconds_count 1, exclusions_total 1'],
  [['false', failing], { matches: false }, 'evaluation_seconds_count 1, exclusions_total 1'],
  [[failing], { matches: false, error: failure }, 'evaluation_errors_total 1, evaluation_seconds_count 1'],
  [[failing, failing], { matches: false, error: failure }, 'evaluation_errors_total 2, evaluation_seconds_count 1'],
])('conditions %j', async (expressions, expected, counted) => {
  const { result, metrics } = await evaluate(expressions)
  expect(result).toEqual(expected)
  expect(metrics).toBe(counted)
})

it('does not count the exclusions of policies', async () => {
  const { metrics } = await evaluate(['false'], 'Fail', 'policy')
  expect(metrics).toBe('evaluation_seconds_count 1')
})

it('does not match if a condition fails and the failure policy is Ignore', async () => {
  expect((await evaluate([failing], 'Ignore')).result).toEqual({ matches: false })
})

it('refuses conditions that exceed their budget together', async () => {
  const list = JSON.stringify(Array.from({ length: 200 }, (_, i) => i))
  const expensive = `${list}.all(a, ${list}.all(b, a + b >= 0))`
  const { result } = await evaluate(Array.from({ length: 40 }, () => expensive))
  expect(result.error).toBe('validation failed due to running out of cost budget, no further validation rules will be run')
})
