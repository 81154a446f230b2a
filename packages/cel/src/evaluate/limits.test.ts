import { describe, expect, it } from 'vitest'
import { compile } from '../compile.ts'
import { baseEnvironment } from '../libraries.ts'
import { types } from '../types/type.ts'
import { AuthorizerValue } from '../functions/authorization.ts'
import { CelError } from '../values/value.ts'
import { Lazy } from './activation.ts'
import { CostBudget } from './cost-budget.ts'
import { Program } from './program.ts'
import type { EvaluateOptions, Evaluation } from './program.ts'

const environment = baseEnvironment.extend({
  variables: { x: types.dyn, s: types.string, authorizer: { kind: 'struct', name: 'kubernetes.authorization.Authorizer', parameters: [] } },
})

function start(text: string, variables: object, options?: EvaluateOptions): Evaluation | Promise<Evaluation> {
  return new Program(compile(text, environment)).evaluate({ x: null, s: '', ...variables }, options)
}

async function evaluateText(text: string, variables: object = {}, options?: EvaluateOptions): Promise<unknown> {
  const { value } = await start(text, variables, options)
  return value instanceof CelError ? value.message : value
}

const exceeded = 'operation cancelled: actual cost limit exceeded'
/** A nested list with 2^40 leaves. It consists of 40 lists that contain the previous list twice. */
const nested = `[dyn([1])]${'.map(v, dyn([v, v]))'.repeat(40)}`

describe('an evaluation', () => {
  it.each([
    ['loops in loops', 'lists.range(100000).all(a, lists.range(100000).all(b, a >= 0 && b >= 0))'],
    ['a long range', 'lists.range(1000000000).map(v, v).size()'],
    ['a long sort', 'lists.range(1000000).sort()'],
    ['comparing shared parts', `${nested} == ${nested}`],
    ['flattening shared parts', `${nested}.flatten(45)`],
    ['formatting shared parts', `"%s".format([${nested}])`],
    ['summing up shared parts', `dyn(${nested}).max()`],
    ['searches that cost little', '[dyn(s)].all(t, lists.range(100000).all(v, !t.matches(x)))'],
    ['replacements', 's.replace("", s) + s.replace("", s) + s.replace("", s)'],
  ])('ends at its cost limit: %s', async (_, text) => {
    expect(await evaluateText(text, { s: 'a'.repeat(3000), x: '(a+)+b' })).toBe(exceeded)
  })

  it('limits the memory of strings', async () => {
    expect(await evaluateText(`[dyn(s)]${'.map(v, v + v)'.repeat(40)}[0]`, { s: 'a'.repeat(1000) })).toBe('string is too long')
  })

  it('shares the memory of concatenated lists', async () => {
    expect(await evaluateText(`[[1, 2]]${'.map(v, v + v)'.repeat(40)}[0].size()`)).toBe(2 ** 41)
  })

  it('matches patterns in linear time', async () => {
    expect(
      await evaluateText('s.matches("^(a+)+$") || s.matches("(a|aa)+b") || s.matches("(x+x+)+y")', { s: `${'a'.repeat(20_000)}!` }),
    ).toBe(false)
  })

  it('uses the lower of two cost limits', async () => {
    expect(await evaluateText('[1, 2, 3].all(v, v > 0)', {}, { costLimit: 10 })).toBe(exceeded)
    expect(await start('1 + 1 == 2', {}, { costLimit: 2 })).toEqual({ value: true, cost: 2 })
  })

  it('can share a cost budget with other evaluations', async () => {
    const budget = new CostBudget(10)
    const { cost } = await start('1 + 1 + 1 + 1 == 4', {})
    expect([cost, budget.spend(cost), budget.spend(cost), budget.remaining, budget.spend(cost), budget.remaining]).toEqual([
      4,
      true,
      true,
      2,
      false,
      0,
    ])
  })

  it('yields to other work', async () => {
    let turns = 0
    const count = (): void => {
      turns++
      handle = setImmediate(count)
    }
    let handle = setImmediate(count)
    await start('x.all(v, x.all(w, v >= 0 || w >= 0))', { x: Array.from({ length: 800 }, (_, i) => i) }, { costLimit: 1e9 })
    clearImmediate(handle)
    expect(turns).toBeGreaterThan(2)
  })

  it('ends when its signal aborts', async () => {
    const x = Array.from({ length: 10_000 }, (_, i) => i)
    expect(await evaluateText('x.all(v, x.all(w, v >= 0))', { x }, { costLimit: 1e12, signal: AbortSignal.abort() })).toBe(
      'operation interrupted',
    )
  })

  it('returns no promise if it is short', () => {
    expect(start('[1, 2, 3].exists(v, v == 2)', {})).toEqual({ value: true, cost: 16 })
  })

  it('awaits lazy variables and fields once each', async () => {
    let computed = 0
    const later = new Lazy(async () => {
      computed++
      return await Promise.resolve({ a: 2.5 })
    })
    expect(await evaluateText('x.a == 2.5 && x.a > 2.0', { x: later })).toBe(true)
    expect(await evaluateText('x.y.a == 2.5', { x: { y: later } })).toBe(true)
    expect(await evaluateText('true || x.a == 2.5', { x: new Lazy(() => expect.unreachable()) })).toBe(true)
    expect(computed).toBe(1)
  })

  it('awaits the answers of the authorizer', async () => {
    const checks: string[] = []
    const authorizer = new AuthorizerValue({ name: 'alice', groups: [] }, async (user, { verb, resource, name }) => {
      checks.push(`${user.name} ${verb} ${resource} ${name}`)
      if (verb === 'fail') throw new Error('no')
      return await Promise.resolve({ allowed: verb === 'get', reason: 'because' })
    })
    const pods = 'authorizer.group("").resource("pods").name("a")'
    expect(await evaluateText(`["get", "list"].map(v, ${pods}.check(v).allowed())`, { authorizer })).toEqual([true, false])
    expect(await evaluateText(`${pods}.check("fail").error()`, { authorizer })).toBe('no')
    expect(checks).toEqual(['alice get pods a', 'alice list pods a', 'alice fail pods a'])
    expect(await evaluateText(`["a", "b", "c"].all(v, ${pods}.check("get").allowed())`, { authorizer })).toBe(exceeded)
  })

  it('reads decoded JSON', async () => {
    const x = { int: 5, float: 1.5, long: 2n ** 60n, whole: 1e300, missing: undefined, __proto__: { inherited: 1 } }
    expect(
      await evaluateText('type(x.int) == int && type(x.float) == double && type(x.long) == int && type(x.whole) == double', { x }),
    ).toBe(true)
    expect(await evaluateText('has(x.missing) || has(x.inherited) || has(x.toString) || has(x.constructor)', { x })).toBe(false)
    expect(await evaluateText('x.size()', { x })).toBe(4)
    expect(await evaluateText('x.int + x.long', { x })).toBe(2n ** 60n + 5n)
  })
})
