import { expect, test } from 'vitest'
import { parseTokenFile } from './token-file.ts'

test('parses token, user, uid and optional quoted groups', () => {
  const { tokens, warnings } = parseTokenFile(
    'admintoken,admin,1,"system:masters,dev"\nalicetoken,alice,alice-uid\r\n\n"a,b","q""x",u,g\n',
    'f',
  )
  expect(tokens).toEqual([
    ['admintoken', { name: 'admin', uid: '1', groups: ['system:masters', 'dev'] }],
    ['alicetoken', { name: 'alice', uid: 'alice-uid', groups: [] }],
    ['a,b', { name: 'q"x', uid: 'u', groups: ['g'] }],
  ])
  expect(warnings).toEqual([])
})

test.each([
  ['t,alice', 'tokens.csv:1: expected at least 3 columns (token, user name, user uid), found 2'],
  ['a,b,c\n\nx,"y', 'tokens.csv:3: missing closing quote'],
  ['a,b,c\nx,y"z,u', 'tokens.csv:2: unexpected quote in an unquoted field'],
  ['a,"b"x,c', 'tokens.csv:1: unexpected text after a closing quote'],
  ['a,b,c,"g\ng"\nx', 'tokens.csv:3: expected at least 3 columns (token, user name, user uid), found 1'],
])('rejects %j with the line number in the error', (text, message) => {
  expect(() => parseTokenFile(text, 'tokens.csv')).toThrow(message)
})

test('accepts empty and duplicate tokens with a warning, and uses the last duplicate', () => {
  const { tokens, warnings } = parseTokenFile(',ghost,1\nt,alice,1\nt,bob,2\n', 'f')
  expect(tokens).toEqual([['t', { name: 'bob', uid: '2', groups: [] }]])
  expect(warnings).toHaveLength(2)
  expect(warnings[0]).toContain('f:1:')
  expect(warnings[1]).toContain('f:3:')
})
