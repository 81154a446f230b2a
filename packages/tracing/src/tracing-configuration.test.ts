import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseEndpoint, parseTracingConfiguration, readTracingConfiguration } from './tracing-configuration.ts'

const head = (version: string): string => `apiVersion: apiserver.config.k8s.io/${version}\nkind: TracingConfiguration\n`

test.each(['v1', 'v1beta1', 'v1alpha1'])('decodes version %s', (version) => {
  const text = `${head(version)}endpoint: localhost:4317\nsamplingRatePerMillion: 12345\n`
  expect(parseTracingConfiguration(text)).toEqual({ endpoint: 'localhost:4317', samplingRatePerMillion: 12345 })
})

test('an empty file has only defaults', () => {
  expect(parseTracingConfiguration('')).toEqual({})
})

test.each([
  [`${head('v1')}endpoint: a:1\nendpoint: b:1\n`, /^unable to decode tracing configuration data: strict decoding error/],
  [`${head('v1')}foo: bar\n`, 'unable to decode tracing configuration data: strict decoding error: unknown field "foo"'],
  ['apiVersion: apps/v1\nkind: DaemonSet\n', /no kind "DaemonSet" is registered for version "apps\/v1"/],
])('refuses %j', (text, message) => {
  expect(() => parseTracingConfiguration(text)).toThrow(message)
})

describe('reading a file', () => {
  const read = async (content: string): Promise<unknown> => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'tracing-'))
    try {
      const file = path.join(directory, 'tracing.yaml')
      await writeFile(file, head('v1') + content)
      return await readTracingConfiguration(file).catch((error: unknown) => (error as Error).message)
    } finally {
      await rm(directory, { recursive: true })
    }
  }
  const invalid = 'failed to validate tracing configuration: '

  test.each([
    ['samplingRatePerMillion: -1', `${invalid}samplingRatePerMillion: Invalid value: -1: sampling rate must be positive`],
    [
      'samplingRatePerMillion: 1000001',
      `${invalid}samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million`,
    ],
    [
      'endpoint: https://foo:4317',
      `${invalid}endpoint: Invalid value: "https://foo:4317": unsupported scheme: https.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`,
    ],
    [
      'endpoint: dn%2s://localhost:4317',
      `${invalid}endpoint: Invalid value: "dn%2s://localhost:4317": parse "dn%2s://localhost:4317": invalid URL escape "%2s"`,
    ],
    ['endpoint: unix:///run/collector.sock', { endpoint: 'unix:///run/collector.sock' }],
  ])('%s', async (content, expected) => {
    expect(await read(content)).toEqual(expected)
  })

  test('an absent file', async () => {
    const message =
      'failed to read tracing config: unable to read tracing configuration from "/absent": open /absent: no such file or directory'
    await expect(readTracingConfiguration('/absent')).rejects.toThrow(message)
  })
})

test.each([
  [undefined, { host: 'localhost', port: 4317 }],
  ['127.0.0.1:4318', { host: '127.0.0.1', port: 4318 }],
  ['[::1]:4317', { host: '::1', port: 4317 }],
  ['dns://localhost:4317', { host: 'localhost', port: 4317 }],
  ['dns://8.8.8.8/collector:4317', { host: 'collector', port: 4317 }],
  ['dns:///collector', { host: 'collector', port: 443 }],
  ['unix:///run/collector.sock', { path: '/run/collector.sock' }],
  ['unix-abstract://collector', { path: '\0collector' }],
])('the address of %j', (endpoint, address) => {
  expect(parseEndpoint(endpoint)).toEqual(address)
})
