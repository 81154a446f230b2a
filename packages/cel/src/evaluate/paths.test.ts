import { expect, test } from 'vitest'
import { compileAdmission } from '../kubernetes/compile-admission.ts'
import { CelError, Double, Optional, Uint } from '../values/value.ts'
import { Lazy } from './activation.ts'
import { Program } from './program.ts'
import type { Evaluation } from './program.ts'

const members: Readonly<Record<string, unknown>> = {
  text: 'a',
  number: 7,
  fraction: 1.5,
  large: 9007199254740993n,
  nothing: null,
  absent: undefined,
  list: [{ name: 'x' }],
  record: { name: 'x', inner: { name: 'y' } },
  bare: Object.assign(Object.create(null) as object, { name: 'x' }),
  named: JSON.parse('{"constructor": 1, "toString": 2, "length": 3, "__proto__": 4}') as unknown,
  failed: new CelError('failed'),
  double: new Double(1),
  uint: new Uint(1n),
  optional: new Optional('a'),
  none: new Optional(undefined),
  bytes: new Uint8Array([1, 2]),
  lazy: new Lazy(() => ({ name: 'x', inner: { name: 'y' } })),
  lazyError: new Lazy(() => new CelError('lazy')),
  lazyBytes: new Lazy(() => new Uint8Array([1])),
}
const names = ['name', 'inner', 'length', 'constructor', 'toString', '__proto__', 'then', '0']
const selections = Object.keys(members).flatMap((member) =>
  ['', ...names.map((name) => `.${name}`), '.inner.name'].map((rest) => member + rest),
)

function compileDynamic(text: string): Program {
  const { compiled, problem } = compileAdmission(text, 'variable', { hasParams: true, hasAuthorizer: false })
  if (compiled === undefined) throw new Error(problem)
  return new Program(compiled)
}

/** Converts a selection such as `a.0` to CEL: `a["0"]`. */
const formatSelection = (selection: string): string =>
  selection
    .split('.')
    .map((name) => (/^[a-z]/i.test(name) ? `.${name}` : `["${name}"]`))
    .join('')

const evaluate = (program: Program, costLimit?: number): Evaluation =>
  program.evaluate({ object: members }, costLimit === undefined ? {} : { costLimit }) as Evaluation

// The argument of `dyn()` is not part of the path, so each field of the second expression is read by its own step.
test.each(selections)('object.%s gives the same result at once as field by field', (selection) => {
  const path = formatSelection(selection)
  const forms = [['', ''], ...(path.endsWith(']') ? [] : [['has(', ')']])]
  for (const [before, after] of forms) {
    const expected = evaluate(compileDynamic(`${before}dyn(object)${path}${after}`))
    const { value, cost } = evaluate(compileDynamic(`${before}object${path}${after}`))
    expect(value).toEqual(expected.value)
    expect(cost).toBe(expected.cost - 2)
  }
})

test.each(['object.record.inner.name', 'has(object.record.inner.name)', "object.list.all(e, e.name == 'x' && has(e.name))"])(
  '%s stops at the first cost above the limit',
  (text) => {
    const program = compileDynamic(text)
    const { cost } = evaluate(program)
    for (let limit = 0; limit < cost; limit++) {
      const evaluation = evaluate(program, limit)
      expect(evaluation.cost).toBe(limit + 1)
      expect(evaluation.value).toEqual(new CelError('operation cancelled: actual cost limit exceeded'))
    }
    expect(evaluate(program, cost).cost).toBe(cost)
  },
)

test('waits for a field that is computed asynchronously', async () => {
  const object = { later: new Lazy(() => Promise.resolve({ name: 'x' })) }
  for (const [text, expected] of [
    ['object.later.name', 'x'],
    ['has(object.later.name)', true],
    ['has(object.later.then)', false],
  ] as const) {
    expect((await compileDynamic(text).evaluate({ object })).value).toBe(expected)
  }
})

test.each(['all', 'exists'])('%s ignores errors of elements after which another element decides', (macro) => {
  const decisive = macro === 'exists'
  const evaluateList = (list: readonly unknown[]): unknown =>
    (compileDynamic(`object.list.${macro}(e, e.ok)`).evaluate({ object: { list } }) as Evaluation).value
  expect(evaluateList([{}, { ok: decisive }])).toBe(decisive)
  expect(evaluateList([{}, { ok: !decisive }])).toEqual(new CelError('no such key: ok'))
  expect(evaluateList([])).toBe(!decisive)
})
