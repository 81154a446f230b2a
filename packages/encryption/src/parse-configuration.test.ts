import { describe, expect, test } from 'vitest'
import { formatConfiguration, formatKeys, createSecret } from './encryption.fixture.ts'
import { parseEncryptionConfiguration } from './parse-configuration.ts'

const parse = (text: string, reload = false) => parseEncryptionConfiguration(text, { file: 'enc.yaml', reload })
const validProviders = [`aesgcm: ${formatKeys(1)}`]
const formatKms = (more = '', name = 'a') => `kms: {apiVersion: v2, name: ${name}, endpoint: 'unix:///a.sock'${more}}`
const at = 'resources[0].providers[0]'

describe('encryption configuration', () => {
  test('parses an encryption configuration in YAML and JSON', () => {
    const parsed = parse(formatConfiguration({ secrets: validProviders }))
    expect(parsed.resources[0]!.providers[0]!.aesgcm!.keys[0]!.name).toBe('key1')
    expect(parse(JSON.stringify(parsed))).toEqual(parsed)
  })

  const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n'
  const createConfiguration = (provider: string) => formatConfiguration({ secrets: [provider] })
  const invalidCases: [string, string][] = [
    ['', 'encryption provider configuration file "enc.yaml" is empty'],
    ['a: b: c', 'error decoding encryption provider configuration file "enc.yaml": '],
    ['kind: EncryptionConfiguration', "Object 'apiVersion' is missing"],
    ['apiVersion: v1\nkind: Secret', 'it is a Secret of "v1"'],
    [`${head}resourcs: []`, 'strict decoding error: unknown field "resourcs"'],
    [createConfiguration(`aescbc: {keyz: []}`), `unknown field "${at}.aescbc.keyz"`],
    [createConfiguration(`aescbc: {keys: [{name: 1, secret: a}]}`), `${at}.aescbc.keys[0].name: `],
    [`${head}kind: EncryptionConfiguration\nresources: []`, 'already set'],
    [head, 'resources: Required value: at least one resources is required'],
    [
      formatConfiguration({ '': validProviders }),
      'resources[0].resources: Required value: at least one resources[0].resources is required',
    ],
    [formatConfiguration({ secrets: [] }), 'resources[0].providers: Required value: at least one resources[0].providers is required'],
    [
      formatConfiguration({ Secrets: validProviders }),
      'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
    ],
    [
      formatConfiguration({ "'*'": validProviders }),
      "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources",
    ],
    [formatConfiguration({ "'secrets.*'": validProviders }), 'encrypting the same resource across groups is not supported'],
    [formatConfiguration({ 'events.events.k8s.io': validProviders }), "Use 'events' instead in the config file"],
    [formatConfiguration({ 'ingresses.extensions': validProviders }), "'extensions' group has been removed"],
    [formatConfiguration({ apiserveripinfo: validProviders }), 'resources which do not have REST API/s cannot be encrypted'],
    [formatConfiguration({ 'secrets, secrets': validProviders }), 'the same resource cannot be specified multiple times'],
    [formatConfiguration({ "secrets, '*.'": validProviders }), 'will be masked'],
    [formatConfiguration({ "secrets, '*.*'": validProviders }), 'will be masked'],
    [createConfiguration('{}'), 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'],
    [createConfiguration(`{identity: {}, aesgcm: ${formatKeys(1)}}`), 'more than one provider specified in a single element'],
    [createConfiguration('aesgcm: {keys: []}'), `${at}.aesgcm.keys: Required value: at least one keys is required`],
    [
      createConfiguration(`aescbc: {keys: [{secret: ${createSecret(1)}}]}`),
      `${at}.aescbc.keys[0].name: Required value: name is a mandatory field for a key`,
    ],
    [
      createConfiguration('aescbc: {keys: [{name: a}]}'),
      `${at}.aescbc.keys[0].secret: Required value: secret is a mandatory field for a key`,
    ],
    [
      createConfiguration('aescbc: {keys: [{name: a, secret: "?"}]}'),
      `${at}.aescbc.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      createConfiguration('aescbc: {keys: [{name: a, secret: YWJj}]}'),
      'secret is not of the expected length, got 3, expected one of [16 24 32]',
    ],
    [createConfiguration('secretbox: {keys: [{name: a, secret: MDEyMzQ1Njc4OTAxMjM0NQ==}]}'), 'got 16, expected one of [32]'],
    [
      createConfiguration('kms: {apiVersion: v2, name: a}'),
      `${at}.kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms`,
    ],
    [
      createConfiguration("kms: {apiVersion: v2, name: a, endpoint: 'https://a'}"),
      'unsupported scheme "https" for KMS provider, only unix is supported',
    ],
    [createConfiguration(formatKms(", timeout: '-1s'")), `${at}.kms.timeout: Invalid value: "-1s": timeout should be a positive value`],
    [createConfiguration(formatKms(', cachesize: 5')), `${at}.kms.cachesize: Invalid value: 5: cachesize is not supported in v2`],
    [createConfiguration(formatKms('', "'a:b'")), "invalid KMS provider name a:b, must not contain ':'"],
    [createConfiguration("kms: {apiVersion: v3, name: a, endpoint: 'unix:///a'}"), 'only v1 and v2 are supported'],
    [
      formatConfiguration({ secrets: [formatKms()], configmaps: [formatKms()] }),
      'resources[1].providers[0].kms.name: Invalid value: "a": duplicate KMS provider name a, names must be unique',
    ],
  ]
  test.each(invalidCases)('rejects an invalid configuration with an error that names the path: %#', (text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ name: 'EncryptionConfigurationError', message: expect.stringContaining(message) }),
    )
  })

  test('lists all problems of a configuration without its secrets', () => {
    const secret = 'bm90IGEgZ29vZCBzZWNyZXQ='
    let message = ''
    try {
      parse(
        formatConfiguration({
          secrets: [`aescbc: {keys: [{secret: ${secret}}]}`, `{identity: {}, aesgcm: {keys: [{name: a, secret: ${secret}}]}}`],
        }),
      )
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toContain('keys[0].name')
    expect(message).toContain('providers[1]: Invalid value')
    expect(message).not.toContain(secret)
  })
})
