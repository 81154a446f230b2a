import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectEverything, labelSelectorAsSelector, LabelsSelector, selectNothing, parseLabelSelector } from './label-selector.ts'
import { matchesRequirement } from './label-requirement.ts'
import type { LabelOperator } from './label-requirement.ts'
import { fourfold, measureProcessorTime } from './testing/index.ts'

function catchMessage(parse: () => unknown): string {
  try {
    parse()
  } catch (error) {
    return (error as Error).message
  }
  return 'no error'
}

describe('parseLabelSelector', () => {
  it.each([
    ['par=odd', 'par=odd'],
    ['par==even', 'par==even'],
    ['par!=odd', 'par!=odd'],
    ['par in (odd,even)', 'par in (even,odd)'],
    ['par notin ( odd )', 'par notin (odd)'],
    ['z,!big , a', 'a,!big,z'],
    ['i>2,i<9', 'i>2,i<9'],
    ['par=', 'par='],
    ['par=,a', 'a,par='],
    ['x in ()', 'x in ()'],
    ['x in (,a,,b,)', 'x in (,a,b)'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['example.com/a=b', 'example.com/a=b'],
    ['  ', ''],
  ])('parses %j', (text, canonical) => {
    expect(parseLabelSelector(text).toString()).toBe(canonical)
  })

  it.each([
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['par in odd', "unable to parse requirement: found 'odd' expected: '('"],
    ['x in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['x in (a b)', "unable to parse requirement: found 'b', expected: ',' or ')'"],
    ['x in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['x y', "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!x=1', "found '=', expected: ',' or 'end of string'"],
    ['x>a', "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value must be an integer"],
    ['a==(b', "unable to parse requirement: found '(', expected: identifier"],
    [
      '-a=b',
      "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      'a=b@',
      "unable to parse requirement: values[0][a]: Invalid value: \"b@\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ])('rejects %j', (text, message) => {
    expect(catchMessage(() => parseLabelSelector(text))).toBe(message)
  })

  it('matches labels by every operator', () => {
    const labels = { a: '1', b: '' }
    const yes = ['a', 'a=1', 'b=', 'a in (1,2)', 'c!=1', 'c notin (1)', '!c', 'a>0', 'a<2', '']
    const no = ['c', 'a=2', 'a!=1', '!a', 'a>1', 'b>0', 'a notin (1)', 'toString']
    for (const text of yes) expect(parseLabelSelector(text).matches(labels), text).toBe(true)
    for (const text of no) expect(parseLabelSelector(text).matches(labels), text).toBe(false)
    expect(parseLabelSelector('!a').matches(undefined)).toBe(true)
  })

  const key = fc.stringMatching(/^[a-z0-9]([-a-z0-9_.]{0,8}[a-z0-9])?$/)
  const value = fc.stringMatching(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,6}[A-Za-z0-9])?)?$/)
  const requirement = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('=', '==', '!='), values: fc.array(value, { minLength: 1, maxLength: 1 }) }),
    fc.record({ key, operator: fc.constantFrom('in', 'notin'), values: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }) }),
    fc.record({ key, operator: fc.constantFrom('exists', '!'), values: fc.constant([]) }),
    fc.record({ key, operator: fc.constantFrom('gt', 'lt'), values: fc.integer().map((n) => [String(Math.abs(n))]) }),
  )

  it('property: parses its own text, and requires all of its requirements', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(key, value), (requirements, labels) => {
        const text = requirements.reduce((selector, r) => selector.and(r as never), selectEverything()).toString()
        const parsed = parseLabelSelector(text)
        expect(parsed.toString()).toBe(text)
        expect(parsed.matches(labels)).toBe(requirements.every((r) => matchesRequirement(r as never, labels)))
      }),
    )
  })

  it('property: evaluates many requirements with the same result as single requirements', () => {
    const few = fc.constantFrom('a', 'b', 'c', 'constructor')
    const text = fc.constantFrom('', '1', '2', '30', '-4', 'x')
    const any = fc.record({
      key: few,
      operator: fc.constantFrom<LabelOperator>('=', '==', '!=', 'in', 'notin', 'exists', '!', 'gt', 'lt'),
      values: fc.array(text, { minLength: 1, maxLength: 2 }),
    })
    // `notin` requirements are generated often, so that several requirements match at once.
    const likely = fc.record({ key: few, operator: fc.constant<LabelOperator>('notin'), values: fc.array(text, { maxLength: 1 }) })
    const many = fc.array(fc.oneof({ weight: 1, arbitrary: any }, { weight: 8, arbitrary: likely }), { minLength: 9, maxLength: 12 })
    fc.assert(
      fc.property(many, fc.option(fc.dictionary(few, text), { nil: undefined }), (requirements, labels) => {
        expect(new LabelsSelector(requirements).matches(labels)).toBe(requirements.every((r) => matchesRequirement(r, labels ?? {})))
      }),
      { numRuns: 2000 },
    )
  })

  it('runs at most as many tests as the object has labels', async () => {
    const createSelectors = (count: number): LabelsSelector[] =>
      [(i: number) => `a${i}!=b`, (i: number) => `!a${i}`, (i: number) => `tier!=t${i}`, (i: number) => `tier>${i}`].map((of) =>
        parseLabelSelector(Array.from({ length: count }, (_, i) => of(i)).join(',')),
      )
    const matchAll = (selectors: LabelsSelector[]) => (): void => {
      for (let object = 0; object < 1000; object++)
        for (const selector of selectors) selector.matches({ app: `a${object}`, tier: '100000' })
    }
    const [few, many] = [createSelectors(20), createSelectors(20_000)]
    for (const warm of [few, many]) matchAll(warm)()
    expect(await measureProcessorTime(matchAll(many))).toBeLessThan(fourfold * (await measureProcessorTime(matchAll(few))))
  })

  it('property: parses any text or throws a BadRequest', () => {
    const piece = fc.constantFrom('a', 'in', 'notin', '(', ')', ',', '!', '=', '>', '<', ' ', '\0', 'é', '1')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        try {
          const once = parseLabelSelector(text).toString()
          expect(parseLabelSelector(once).toString()).toBe(once)
        } catch (error) {
          expect(error).toMatchObject({ name: 'ApiError', reason: 'BadRequest' })
        }
      }),
    )
  })
})

describe('labelSelectorAsSelector', () => {
  it('selects nothing if the selector is absent, and everything if it is empty', () => {
    expect(labelSelectorAsSelector(undefined)).toBe(selectNothing())
    expect(labelSelectorAsSelector({}).empty).toBe(true)
    expect(selectNothing().matches({})).toBe(false)
    expect(selectNothing().empty).toBe(false)
  })

  it('combines labels and expressions', () => {
    const selector = labelSelectorAsSelector({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'NotIn', values: ['x', 'y'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    })
    expect(selector.toString()).toBe('a notin (x,y),b=1,!c')
    expect(selector.requiresExactMatch('b')).toBe('1')
  })

  it('rejects unknown operators', () => {
    expect(catchMessage(() => labelSelectorAsSelector({ matchExpressions: [{ key: 'a', operator: 'Near' }] }))).toBe(
      '"Near" is not a valid label selector operator',
    )
    expect(catchMessage(() => labelSelectorAsSelector({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }))).toBe(
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    )
  })
})

describe('a selector of many values', () => {
  const createValues = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `v${i}`)

  it('matches like a selector with few values', () => {
    for (const operator of ['In', 'NotIn']) {
      const selector = labelSelectorAsSelector({ matchExpressions: [{ key: 'l', operator, values: [...createValues(1000)] }] })
      expect([{}, { l: 'v999' }, { l: 'v1000' }].map((labels) => selector.matches(labels))).toEqual(
        operator === 'In' ? [false, true, false] : [true, false, true],
      )
    }
  })

  it('does not search all values for each object', async () => {
    const run = (count: number): Promise<number> => {
      const objects = createValues(count).map((l) => ({ l }))
      const selector = parseLabelSelector(`l in (${createValues(count).join(',')})`)
      return measureProcessorTime(() => objects.every((labels) => selector.matches(labels)))
    }
    const small = await run(5_000)
    expect(await run(20_000)).toBeLessThan(fourfold * small)
  })
})
