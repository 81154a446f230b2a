import { describe, expect, it } from 'vitest'
import { compileMatchCondition } from './authorization-environment.ts'
import { MatchConditions } from './match-conditions.ts'
import type { MatchResult, ReviewSpec } from './match-conditions.ts'

async function match(spec: ReviewSpec, ...texts: readonly string[]): Promise<MatchResult> {
  const compiled = texts.map((text) => {
    const { compiled: result, problem } = compileMatchCondition(text)
    if (result === undefined) throw new Error(problem)
    return result
  })
  return await new MatchConditions(compiled).match(spec)
}

describe('match conditions', () => {
  it('match if all conditions are true', async () => {
    const spec = { user: 'alice', groups: ['dev'], resourceAttributes: { namespace: 'kube-system', verb: 'get' } }
    const conditions = ["request.user == 'alice'", "request.groups.exists(g, g == 'dev')"]
    expect(await match(spec, ...conditions, "request.resourceAttributes.namespace == 'kube-system'")).toEqual({ matches: true })
    expect(await match(spec, ...conditions, "request.resourceAttributes.verb == 'list'")).toEqual({ matches: false })
  })

  it('read absent strings as empty strings, and do not have absent attributes', async () => {
    expect(await match({}, "request.user == '' && request.uid == '' && size(request.groups) == 0 && size(request.extra) == 0")).toEqual({
      matches: true,
    })
    expect(await match({}, '!has(request.resourceAttributes) && !has(request.nonResourceAttributes)')).toEqual({ matches: true })
    expect(await match({ resourceAttributes: {} }, "request.resourceAttributes.name == ''")).toEqual({ matches: true })
    expect(await match({ nonResourceAttributes: { path: '/x' } }, "request.nonResourceAttributes.path == '/x'")).toEqual({ matches: true })
  })

  it('can read label and field selectors', async () => {
    const requirement = { key: 'a', operator: 'In', values: ['b'] }
    const spec = { resourceAttributes: { fieldSelector: { requirements: [requirement] }, labelSelector: { rawSelector: 'x=y' } } }
    const text = "request.resourceAttributes.fieldSelector.requirements[0].values == ['b']"
    expect(await match(spec, text, "request.resourceAttributes.labelSelector.rawSelector == 'x=y'")).toEqual({ matches: true })
    expect(await match(spec, '!has(request.resourceAttributes.fieldSelector.rawSelector)')).toEqual({ matches: true })
    expect(await match(spec, 'request.resourceAttributes.?labelSelector.hasValue()')).toEqual({ matches: true })
  })

  it('report errors unless a condition is false', async () => {
    const failing = "request.resourceAttributes.namespace == 'a'"
    expect(await match({}, failing)).toEqual({
      matches: false,
      error: `cel evaluation error: expression '${failing}' resulted in error: no such key: resourceAttributes`,
    })
    expect(await match({}, failing, 'false')).toEqual({ matches: false })
  })

  it.each([
    ['request.user', 'must evaluate to bool but got string'],
    ['x', "compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^"],
    ['request.foo', "compilation failed: ERROR: <input>:1:8: undefined field 'foo'\n | request.foo\n | .......^"],
  ])('have the compile error of kube-apiserver: %s', (text, problem) => {
    expect(compileMatchCondition(text).problem).toBe(problem)
  })
})
