import type { Secret } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { mergeStringData, secrets, setSecretDefaults } from './index.ts'
import { findTLSWarnings } from './tls-warnings.ts'
import { validateSecret, validateSecretUpdate } from './validate.ts'

const metadata = { name: 'a', namespace: 'x' }
const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64')
const create = (secret: Partial<Secret>): string[] => validateSecret({ metadata, ...secret }).map(formatFieldError)

describe('secrets', () => {
  it('sets the type Opaque by default, and merges stringData into data', () => {
    const secret: Secret = { metadata, data: { a: encodeBase64('old'), b: encodeBase64('kept') }, stringData: { a: 'né' } }
    setSecretDefaults(secret)
    expect(mergeStringData(secret)).toEqual({ metadata, type: 'Opaque', data: { a: encodeBase64('né'), b: encodeBase64('kept') } })
  })

  it.each([
    ['kubernetes.io/service-account-token', {}, ['metadata.annotations[kubernetes.io/service-account.name]: Required value']],
    ['kubernetes.io/dockercfg', {}, ['data[.dockercfg]: Required value']],
    ['kubernetes.io/dockerconfigjson', {}, ['data[.dockerconfigjson]: Required value']],
    ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': '{}' }, []],
    [
      'kubernetes.io/dockerconfigjson',
      { '.dockerconfigjson': '"x"' },
      [
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal string into Go value of type map[string]interface {}',
      ],
    ],
    [
      'kubernetes.io/dockercfg',
      { '.dockercfg': '{' },
      ['data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
    ],
    ['kubernetes.io/basic-auth', {}, ['data[username]: Required value', 'data[password]: Required value']],
    ['kubernetes.io/basic-auth', { password: '' }, []],
    ['kubernetes.io/ssh-auth', { 'ssh-privatekey': '' }, ['data[ssh-privatekey]: Required value']],
    ['kubernetes.io/tls', { 'tls.key': '' }, ['data[tls.crt]: Required value']],
    ['example.com/any', {}, []],
  ])('reports the errors of type %s with %j', (type, texts, messages) => {
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encodeBase64(text)]))
    expect(create({ type, data })).toEqual(messages)
  })

  it('limits data to one MiB', () => {
    expect(create({ data: { a: Buffer.alloc(1024 * 1024).toString('base64') } })).toEqual([])
    expect(create({ data: { a: Buffer.alloc(1024 * 1024 + 1).toString('base64') } })).toEqual([
      'data: Too long: may not be more than 1048576 bytes',
    ])
  })

  it('rejects changes of the type, and changes of the data if immutable is set', () => {
    const old: Secret = { metadata, type: 'Opaque', data: { a: 'AA==' }, immutable: true }
    const messages = validateSecretUpdate({ metadata, type: 'x/y', data: {} }, old).map(formatFieldError)
    expect(messages).toEqual([
      'type: Invalid value: "x/y": field is immutable',
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ])
    const untyped: Secret = { metadata }
    secrets.strategy.prepareForUpdate?.({} as RequestContext, untyped, old)
    expect(untyped.type).toBe('Opaque')
  })

  it('warns if the TLS certificate and the key do not match', () => {
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
    const warn = (crt: string, tlsKey: string): readonly string[] =>
      findTLSWarnings({ metadata, type: 'kubernetes.io/tls', data: { 'tls.crt': encodeBase64(crt), 'tls.key': encodeBase64(tlsKey) } })
    expect(warn('', '')).toEqual(['tls: failed to find any PEM data in certificate input'])
    expect(warn(key, key)).toEqual([
      'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    ])
    expect(findTLSWarnings({ metadata, type: 'Opaque' })).toEqual([])
  })
})
