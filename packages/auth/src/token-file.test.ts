import { expect, test } from 'vitest'
import { parseTokenFile } from './token-file.ts'

test('a line is token, user, uid and optionally quoted groups', () => {
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
  ['t,alice', 'tokens.csv:1: a token line has at least 3 columns (token, user name, user uid), found 2'],
  ['a,b,c\n\nx,"y', 'tokens.csv:3: a quote is not closed'],
  ['a,b,c\nx,y"z,u', 'tokens.csv:2: a quote in a field that does not begin with one'],
  ['a,"b"x,c', 'tokens.csv:1: text after a closing quote'],
  ['a,b,c,"g\ng"\nx', 'tokens.csv:3: a token line has at least 3 columns (token, user name, user uid), found 1'],
])('%j is refused with its line', (text, message) => {
  expect(() => parseTokenFile(text, 'tokens.csv')).toThrow(message)
})

test('empty and repeated tokens are accepted with a warning; the last one counts', () => {
  const { tokens, warnings } = parseTokenFile(',ghost,1\nt,alice,1\nt,bob,2\n', 'f')
  expect(tokens).toEqual([['t', { name: 'bob', uid: '2', groups: [] }]])
  expect(warnings).toHaveLength(2)
  expect(warnings[0]).toContain('f:1:')
  expect(warnings[1]).toContain('f:3:')
})
