import { array, assert, boolean, constantFrom, integer, nat, oneof, option, property, tuple } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  containsSet,
  subtractSet,
  equalsSet,
  createFieldSet,
  hasPath,
  intersectSets,
  isEmptySet,
  leaves,
  normalizeFieldSet,
  listPaths,
  subtractRecursively,
  setOfPaths,
  union,
} from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { compareElements, createFieldElement, createKeyElement, formatPath, createValueElement } from './path-element.ts'
import type { PathElement } from './path-element.ts'

const name = constantFrom('a', 'b', 'z', 'é', '\u{10000}', '\uffff', '10', '9', '__proto__', 'a"b', '<')
const scalar = oneof(name, integer({ min: -3, max: 300 }), boolean(), constantFrom(1.5, 0.1))
const element: Arbitrary<PathElement> = oneof(
  { weight: 3, arbitrary: name.map(createFieldElement) },
  tuple(scalar, option(scalar)).map(([a, b]) =>
    createKeyElement(
      b === null
        ? [['name', a]]
        : [
            ['name', a],
            ['port', b],
          ],
    ),
  ),
  scalar.map(createValueElement),
  nat(12).map((i) => `i:${i}`),
)
const paths = array(array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 })

/** Represents each set as a sorted list of paths. */
const sortTexts = (of: Iterable<string>): string[] => [...new Set(of)].sort()
const formatPaths = (of: FieldSet): string[] => sortTexts(listPaths(of).map((path) => path.join('\n')))
const createModel = (of: readonly (readonly PathElement[])[]): Set<string> => new Set(of.map((path) => path.join('\n')))
const isBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}\n`)

function isCanonical(node: FieldSet, root = true): boolean {
  const keys = Object.keys(node)
  const elements = keys.filter((key) => key !== '.')
  if (keys.includes('.') && (root || keys[0] !== '.' || elements.length === 0)) return false
  return elements.every((key, i) => (i === 0 || compareElements(elements[i - 1]!, key) < 0) && isCanonical(node[key]!, false))
}

describe('FieldSet', () => {
  it('contains another set if the difference is empty', () => {
    assert(
      property(paths, paths, (inputPaths, others) => {
        const [a, b] = [setOfPaths(inputPaths), setOfPaths(others)]
        expect(containsSet(a, b)).toBe(isEmptySet(subtractSet(b, a)))
        expect(containsSet(union(a, b), b)).toBe(true)
      }),
    )
  })

  it('lists its paths in the order of fieldsV1', () => {
    assert(
      property(paths, (inputPaths) => {
        const set = setOfPaths(inputPaths)
        expect(formatPaths(set)).toEqual(sortTexts(createModel(inputPaths)))
        expect(isCanonical(set)).toBe(true)
        expect(isEmptySet(set)).toBe(inputPaths.length === 0)
        expect(equalsSet(set, setOfPaths(inputPaths.toReversed()))).toBe(true)
        for (const path of inputPaths) expect(hasPath(set, path)).toBe(true)
      }),
    )
  })

  it('supports union, intersection and difference', () => {
    assert(
      property(paths, paths, (one, other) => {
        const [a, b] = [setOfPaths(one), setOfPaths(other)]
        const [left, right] = [createModel(one), createModel(other)]
        expect(formatPaths(union(a, b))).toEqual(sortTexts([...left, ...right]))
        expect(formatPaths(intersectSets(a, b))).toEqual(sortTexts([...left].filter((path) => right.has(path))))
        expect(formatPaths(subtractSet(a, b))).toEqual(sortTexts([...left].filter((path) => !right.has(path))))
        const gone = new Set([...left].filter((path) => [...right].some((above) => isBelow(path, above))))
        expect(formatPaths(subtractRecursively(a, b))).toEqual(sortTexts([...left].filter((path) => !gone.has(path))))
        const above = new Set([...left].filter((path) => [...left].some((below) => below !== path && isBelow(below, path))))
        expect(formatPaths(leaves(a))).toEqual(sortTexts([...left].filter((path) => !above.has(path))))
        for (const set of [union(a, b), intersectSets(a, b), subtractSet(a, b), subtractRecursively(a, b), leaves(a)]) {
          expect(isCanonical(set)).toBe(true)
        }
      }),
    )
  })

  it('round-trips through JSON in any order', () => {
    assert(
      property(paths, (inputPaths) => {
        const set = setOfPaths(inputPaths)
        const reverseOrder = (node: FieldSet): FieldSet =>
          Object.fromEntries(
            Object.keys(node)
              .toReversed()
              .map((key) => [key, reverseOrder(node[key]!)]),
          )
        expect(JSON.stringify(normalizeFieldSet(reverseOrder(JSON.parse(JSON.stringify(set)) as FieldSet)))).toBe(JSON.stringify(set))
      }),
    )
  })
})

describe('the format fieldsV1', () => {
  it('equals the JSON of kube-apiserver', () => {
    const set = union(
      createFieldSet('spec.replicas', 'metadata.labels', 'metadata.labels.app'),
      setOfPaths([
        [
          'f:spec',
          'f:ports',
          createKeyElement([
            ['containerPort', 80],
            ['protocol', 'TCP'],
          ]),
        ],
        [
          'f:spec',
          'f:ports',
          createKeyElement([
            ['containerPort', 9],
            ['protocol', 'TCP'],
          ]),
          'f:name',
        ],
        ['f:metadata', 'f:finalizers', createValueElement('x<y')],
      ]),
    )
    expect(JSON.stringify(set)).toBe(
      '{"f:metadata":{"f:finalizers":{"v:\\"x\\\\u003cy\\"":{}},"f:labels":{".":{},"f:app":{}}},' +
        '"f:spec":{"f:ports":{"k:{\\"containerPort\\":9,\\"protocol\\":\\"TCP\\"}":{"f:name":{}},' +
        '"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{}},"f:replicas":{}}}',
    )
  })

  it('normalizes the spelling of path elements', () => {
    const fields = { 'f:ports': { 'k:{ "protocol":"TCP", "containerPort":80.0 }': { 'f:name': {} }, 'x:later': {} }, 'v: "a"': null }
    expect(JSON.stringify(normalizeFieldSet(fields))).toBe(
      JSON.stringify({ 'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { 'f:name': {} } }, 'v:"a"': {} }),
    )
    let deep: object = {}
    for (let i = 0; i < 2000; i++) deep = { 'f:a': deep }
    for (const broken of [deep, { a: {} }, { bad: {} }, { 'f:a': 1 }, { 'k:{': {} }, { 'i:x': {} }, [], 'text']) {
      expect(() => normalizeFieldSet(broken)).toThrow()
    }
  })

  it('formats paths for messages', () => {
    expect(formatPath(['f:spec', 'f:containers', createKeyElement([['name', 'c']]), 'f:ports', 'i:2', createValueElement('a"b')])).toBe(
      '.spec.containers[name="c"].ports[2][="a\\"b"]',
    )
    expect(
      formatPath([
        createKeyElement([
          ['containerPort', 8080],
          ['protocol', 'TCP'],
        ]),
      ]),
    ).toBe('[containerPort=8080,protocol="TCP"]')
    expect(formatPath([createValueElement([-2147483648, 3.5, 1e20])])).toBe('[=[-2147483648,3.5,1e+20]]')
  })
})
