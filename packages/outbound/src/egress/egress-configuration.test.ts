import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseEgressConfiguration, readEgressConfiguration } from './egress-configuration.ts'
import { findEgressConfigurationError } from './validate-egress-configuration.ts'

const head = 'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\n'
const format = (...selections: string[]): string => `${head}egressSelections:\n${selections.map((each) => `- ${each}\n`).join('')}`
const connect = (transport: string): string => `connection: {proxyProtocol: HTTPConnect, transport: {${transport}}}`

test('reads an egress selector configuration', async () => {
  const { egressSelections } = parseEgressConfiguration(
    format(
      "{name: cluster, connection: {proxyProtocol: HTTPConnect, transport: {tcp: {url: 'https://a:1', tlsConfig: {caBundle: /a, clientKey: /k, clientCert: /c, tlsServerName: proxy}}}}}",
      '{name: master, connection: {proxyProtocol: GRPC, transport: {uds: {udsName: /s}}}}',
      '{name: etcd, connection: {proxyProtocol: Direct}}',
    ),
  )
  expect(egressSelections).toEqual([
    {
      name: 'cluster',
      connection: {
        proxyProtocol: 'HTTPConnect',
        transport: {
          tcp: { url: 'https://a:1', tlsConfig: { caBundle: '/a', clientKey: '/k', clientCert: '/c', tlsServerName: 'proxy' } },
        },
      },
    },
    { name: 'controlplane', connection: { proxyProtocol: 'GRPC', transport: { uds: { udsName: '/s' } } } },
    { name: 'etcd', connection: { proxyProtocol: 'Direct' } },
  ])
  expect(parseEgressConfiguration(head.replace('v1beta1', 'v1alpha1'))).toEqual({ egressSelections: [] })
  await expect(readEgressConfiguration('/nowhere.yaml')).rejects.toThrow(
    'unable to read egress selector configuration from "/nowhere.yaml" [open /nowhere.yaml: no such file or directory]',
  )
})

// The messages are those of kube-apiserver 1.36 for the same files.
test.each([
  ['a: [b', "yaml: line 1: did not find expected ',' or ']'"],
  ['a: b', "Object 'Kind' is missing in 'a: b'"],
  ['kind: EgressSelectorConfiguration', "Object 'apiVersion' is missing in 'kind: EgressSelectorConfiguration'"],
  [
    'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: EgressSelectorConfiguration',
    'no kind "EgressSelectorConfiguration" is registered for version "apiserver.config.k8s.io/v1beta1"',
  ],
  [
    `${format('{name: cluster, color: red, connection: {proxyProtocol: Direct}}')}other: 1`,
    'strict decoding error: unknown field "egressSelections[0].color", unknown field "other"',
  ],
  [format('{name: 5}'), 'json: cannot unmarshal number into Go struct field EgressSelection.egressSelections.name of type string'],
])('does not decode %s', (text, message) => {
  expect(() => parseEgressConfiguration(text)).toThrow(message)
})

describe('validation', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-egress-'))
  const file = path.join(directory, 'file')
  writeFileSync(file, '')
  afterAll(() => rmSync(directory, { recursive: true }))

  test.each([
    [
      'transports, protocols and names',
      [
        '{name: cluster, connection: {proxyProtocol: HTTPConnect, transport: {}}}',
        '{name: cluster, connection: {proxyProtocol: HTTPConnect}}',
        "{name: nowhere, connection: {proxyProtocol: GRPC, transport: {tcp: {url: 'https://a'}}}}",
        '{name: Etcd, connection: {proxyProtocol: Direct, transport: {uds: {udsName: a}}}}',
        '{name: master, connection: {proxyProtocol: direct}}',
      ],
      '[service.connection.tcp: Required value: One of TCP or UDS must be set, service.connection.transport: Required value: transport must be set for HTTPConnect, service.connection.uds: Required value: UDS must be set with GRPC, service.connection.transport: Invalid value: "direct": config must be absent for direct connect, service.connection.protocol: Unsupported value: "direct": supported values: "Direct", "HTTPConnect", "GRPC", service.connection[1]: Duplicate value: "cluster", service.connection: Unsupported value: "nowhere": supported values: "cluster", "controlplane", "etcd"]',
    ],
    [
      'two transports',
      [`{name: cluster, ${connect("tcp: {url: 'https://a:1', tlsConfig: {caBundle: /x, clientCert: /y}}, uds: {udsName: /s}")}}`],
      'service.connection.tcp: Invalid value: {"URL":"https://a:1","TLSConfig":{"CABundle":"/x","ClientKey":"","ClientCert":"/y","TLSServerName":""}}: TCP and UDS cannot both be set',
    ],
    [
      'TLS files',
      [`{name: cluster, ${connect("tcp: {url: 'https://a:1', tlsConfig: {caBundle: /x, clientCert: /y}}")}}`],
      '[service.connection.tlsConfig.caBundle: Invalid value: "/x": TLS config ca bundle does not exist, service.connection.tlsConfig.clientCert: Invalid value: "/y": TLS client cert does not exist, service.connection.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires requires clientKey]',
    ],
    [
      'URLs',
      [
        `{name: cluster, ${connect("tcp: {url: 'ftp://a:1'}")}}`,
        `{name: etcd, ${connect("tcp: {url: 'https://a:1'}")}}`,
        `{name: controlplane, ${connect("tcp: {url: 'http://a:1', tlsConfig: {}}")}}`,
      ],
      '[service.connection.url: Invalid value: "ftp://a:1": supported connection protocols are http:// and https://, service.connection.tlsConfig: Required value: TLSConfig must be present when using HTTPS, service.connection.tlsConfig: Invalid value: "nil": config must not be present when using HTTP]',
    ],
    [
      'sockets',
      ['{name: cluster, connection: {proxyProtocol: GRPC, transport: {uds: {}}}}', '{name: etcd, connection: {proxyProtocol: GRPC}}'],
      '[service.connection.udsName: Invalid value: "nil": must be present for UDS connections, service.connection.transport: Required value: transport must be set for GRPC]',
    ],
    [
      'files that exist',
      [`{name: cluster, ${connect(`tcp: {url: 'https://a:1', tlsConfig: {clientCert: ${file}, clientKey: ${file}}}`)}}`],
      undefined,
    ],
  ])('of %s', (_title, selections, message) => {
    expect(findEgressConfigurationError(parseEgressConfiguration(format(...selections)))).toBe(message)
  })
})
