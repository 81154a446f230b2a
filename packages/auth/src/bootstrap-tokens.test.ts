import type { Secret } from '@keelson/api/core/v1'
import { expect, test } from 'vitest'
import { createBootstrapTokenAuthenticator } from './bootstrap-tokens.ts'

const now = Date.parse('2026-06-01T12:00:00Z')
const token = 'abcdef.0123456789abcdef'
const good = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' }

function createSecret(data: object, fields: Partial<Secret> = {}): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value as string).toString('base64')] as const)
  return {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(encoded),
    ...fields,
  }
}

async function authenticate(text: string, secret: Secret | undefined): Promise<{ readonly result: unknown; readonly refused: string[] }> {
  const refused: string[] = []
  const lookUps: string[] = []
  const authenticator = createBootstrapTokenAuthenticator({
    readSecret: async (name) => {
      lookUps.push(name)
      return name === 'bootstrap-token-abcdef' ? secret : undefined
    },
    clock: { now: () => now, after: () => () => {} },
    onRefused: (reason) => refused.push(reason),
  })
  const result = await authenticator.authenticateToken(text)
  expect(lookUps.length).toBeLessThanOrEqual(1)
  return { result, refused }
}

test.each([
  ['without other fields', {}, ['system:bootstrappers']],
  ['with groups, each once', createGroups('system:bootstrappers:b,system:bootstrappers:a,system:bootstrappers:b'), ['a', 'b']],
  ['that expires later', { expiration: '2026-06-01T12:00:01Z' }, []],
  ['that expires later, elsewhere', { expiration: '2026-06-01T13:00:01+01:00' }, []],
])('authenticates a bootstrap token from a secret %s', async (_, more, extra) => {
  const names = extra.filter((name) => !name.includes(':')).map((name) => `system:bootstrappers:${name}`)
  expect((await authenticate(token, createSecret({ ...good, ...more }))).result).toEqual({
    name: 'system:bootstrap:abcdef',
    groups: ['system:bootstrappers', ...names],
  })
})

function createGroups(text: string): object {
  return { 'auth-extra-groups': text }
}

test.each<[object, Partial<Secret>, string]>([
  [{ 'token-secret': '0123456789abcdeg' }, {}, 'has invalid value for key token-secret.'],
  [{ 'token-secret': '' }, {}, 'has invalid value for key token-secret.'],
  [{ 'token-id': 'abcdeg' }, {}, 'has invalid value for key token-id.'],
  [{ 'usage-bootstrap-authentication': 'True' }, {}, 'not marked usage-bootstrap-authentication=true.'],
  [{ expiration: '2026-06-01T12:00:00Z' }, {}, 'has expired'],
  [{ expiration: 'tomorrow' }, {}, 'has expired'],
  [{ expiration: '2027-01-01' }, {}, 'has expired'],
  [{}, { type: 'Opaque' }, 'has invalid type, expected bootstrap.kubernetes.io/token.'],
  [{}, { metadata: { deletionTimestamp: '2026-06-01T11:00:00Z' } }, 'is deleted and awaiting removal'],
  [createGroups('system:masters'), {}, 'has invalid value for key auth-extra-groups: bootstrap group "system:masters" is invalid'],
  [createGroups('system:bootstrappers:a,'), {}, 'has invalid value for key auth-extra-groups: bootstrap group "" is invalid'],
  [createGroups('system:bootstrappers:a\n'), {}, 'has invalid value for key auth-extra-groups'],
])('rejects a bootstrap token if its secret has %j %j, and does not log the token', async (data, fields, reason) => {
  const { result, refused } = await authenticate(token, createSecret({ ...good, ...data }, fields))
  expect(result).toBeUndefined()
  expect(refused).toEqual([expect.stringContaining(`Bootstrap secret kube-system/bootstrap-token-abcdef matching bearer token ${reason}`)])
  expect(refused[0]).not.toContain('0123456789')
})

test.each([
  'abcdef',
  'abcdef.0123456789abcde',
  'abcdef.0123456789abcdef0',
  'ABCDEF.0123456789abcdef',
  `${token}\n`,
  ` ${token}`,
  '../../a.0123456789abcdef',
])('does not recognize %j as a bootstrap token', async (text) => {
  expect(await authenticate(text, createSecret(good))).toEqual({ result: undefined, refused: [] })
})

test('does not recognize a bootstrap token without a secret', async () => {
  expect(await authenticate(token, undefined)).toEqual({
    result: undefined,
    refused: ['No secret of name bootstrap-token-abcdef to match bootstrap bearer token'],
  })
})
