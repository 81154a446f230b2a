import { describe, expect, it } from 'vitest'
import { compileExpression } from './compile-expression.ts'

const variables = ['object', 'params', 'Object', 'JSONPatch', 'jsonpatch']

describe('expressions', () => {
  it.each([
    'object.spec.replicas <= 5 && !(object.metadata.name in ["a", \'b\'])',
    'object.?spec[?0].orValue("x") == r"\\d+" ? 1.5e3 : -0x1F',
    'object.spec.containers.all(c, c.image.startsWith("a/") || c.ports.exists(p, p.port == 80u))',
    'object.metadata.labels.all(k, v, k != v)',
    'object.items.map(x, x > 1, x * 2).filter(y, y % 2 == 0).size() > 0',
    'object.m.transformMap(k, v, k + v) == {"a": 1, ?"b": optional.of(2), }',
    'cel.bind(x, object.a, x + x) == duration("1h") + timestamp("2026-01-01T00:00:00Z").getHours()',
    '[JSONPatch{op: "add", path: "/a/" + jsonpatch.escapeKey("b/c"), value: Object{spec: Object.spec{a: 1}}}]',
    'has(object.spec) // to the end\n && """many\nlines""" != "" && type(object) == map',
    'quantity("1Gi").isGreaterThan(quantity("1")) && sets.contains([1], [1]) && object.`a-b` == null',
    'object.list[1 + 1][0]',
  ])('accepts %s', (text) => {
    expect(compileExpression(text, variables)).toBeUndefined()
  })

  it.each([
    ['object.spec ==', "ERROR: <input>:1:15: Syntax error: mismatched input '<EOF>'\n | object.spec ==\n | ..............^"],
    ['other.spec', "ERROR: <input>:1:1: undeclared reference to 'other' (in container '')\n | other.spec\n | ^"],
    ['1 +\n x.y', "ERROR: <input>:2:2: undeclared reference to 'x' (in container '')\n |  x.y\n | .^"],
    ['"open', 'ERROR: <input>:1:1: Syntax error: token recognition error at: \'"\'\n | "open\n | ^'],
  ])('refuses %s and says where', (text, message) => {
    expect(compileExpression(text, variables)).toBe(message)
  })

  it.each([
    '(1',
    '[1, 2',
    'f(1,)',
    '{1}',
    'a b',
    '1 = 2',
    'object.',
    'x => x',
    'object.all(c, c) && c',
    'if',
    '1 ? 2',
    '',
    'object.spec; true',
  ])('refuses %j', (text) => {
    expect(compileExpression(text, variables)).toBeDefined()
  })

  it('is not led into a depth that has no end', () => {
    expect(compileExpression('('.repeat(100_000), variables)).toContain('recursion limit')
    expect(compileExpression('!'.repeat(100_000) + 'true', variables)).toBeUndefined()
    expect(compileExpression('[1]' + '[0]'.repeat(100_000), variables)).toBeUndefined()
  })
})
