import { readFile } from 'node:fs/promises'
import { aggregateFieldErrors, fieldError, newFieldPath, findUrlSyntaxError, getErrorMessage, quote } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { decodeConfiguration, defineConfigurationStruct } from '@keelson/apimachinery/configuration'
import { formatOpenError } from '@keelson/outbound'

/** The content of `--tracing-config-file`. */
export interface TracingConfiguration {
  /** Address of the collector: `host:port`, or a URL with the scheme dns, unix or unix-abstract. Default: `localhost:4317`. */
  readonly endpoint?: string
  /** Number of traces that are recorded of a million requests without a trace context. Default: 0. */
  readonly samplingRatePerMillion?: number
}

const versions = ['v1', 'v1beta1', 'v1alpha1']
const apiVersions = versions.map((version) => `apiserver.config.k8s.io/${version}`)
const schema = defineConfigurationStruct('TracingConfiguration', { endpoint: 'string', samplingRatePerMillion: 'int32' })
/** Name of the scheme in kube-apiserver's error for another kind. */
const scheme = 'k8s.io/apiserver/pkg/server/options/tracing.go:49'
const million = 1_000_000

/** Decodes a TracingConfiguration strictly. An empty text has only defaults. Throws an error with kube-apiserver's message. */
export function parseTracingConfiguration(text: string): TracingConfiguration {
  if (text.trim() === '') return {}
  try {
    return decodeConfiguration(text, { schema, apiVersions, scheme })
  } catch (error) {
    throw new Error(`unable to decode tracing configuration data: ${getErrorMessage(error)}`, { cause: error })
  }
}

/** Reads and validates a TracingConfiguration. Rejects with kube-apiserver's message. */
export async function readTracingConfiguration(file: string): Promise<TracingConfiguration> {
  let configuration: TracingConfiguration
  try {
    configuration = parseTracingConfiguration(await readText(file))
  } catch (error) {
    throw new Error(`failed to read tracing config: ${getErrorMessage(error)}`, { cause: error })
  }
  const errors = validateTracingConfiguration(configuration, newFieldPath())
  if (errors.length > 0) throw new Error(`failed to validate tracing configuration: ${aggregateFieldErrors(errors)}`)
  return configuration
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`unable to read tracing configuration from ${quote(file)}: ${formatOpenError(file, error)}`, { cause: error })
  }
}

export function validateTracingConfiguration({ endpoint, samplingRatePerMillion }: TracingConfiguration, path: FieldPath): FieldErrorList {
  return [
    ...(samplingRatePerMillion === undefined ? [] : validateSamplingRate(samplingRatePerMillion, path.child('samplingRatePerMillion'))),
    ...(endpoint === undefined ? [] : validateEndpoint(endpoint, path.child('endpoint'))),
  ]
}

function validateSamplingRate(rate: number, path: FieldPath): FieldErrorList {
  if (rate < 0) return [fieldError.invalid(path, rate, 'sampling rate must be positive')]
  if (rate > million) return [fieldError.invalid(path, rate, 'sampling rate per million must be less than or equal to one million')]
  return []
}

const schemes: ReadonlySet<string> = new Set(['dns', 'unix', 'unix-abstract'])

function validateEndpoint(endpoint: string, path: FieldPath): FieldErrorList {
  const url = addScheme(endpoint)
  const problem = findUrlSyntaxError(url)
  if (problem !== undefined) return [fieldError.invalid(path, url, `parse ${quote(url)}: ${problem}`)]
  const scheme = readScheme(url)
  if (schemes.has(scheme)) return []
  const hint = 'Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md'
  return [fieldError.invalid(path, url, `unsupported scheme: ${scheme}.  ${hint}`)]
}

function addScheme(endpoint: string): string {
  return endpoint.includes('//') ? endpoint : `dns://${endpoint}`
}

function readScheme(url: string): string {
  return (/^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1] ?? '').toLowerCase()
}

/** Address of a collector: a TCP port, or a Unix socket. The path of an abstract socket begins with a null character. */
export type CollectorAddress = { readonly host: string; readonly port: number } | { readonly path: string }

const defaultEndpoint = 'localhost:4317'
/** The port that gRPC uses for an address without a port. */
const defaultPort = 443

/** Returns the address of a valid endpoint. */
export function parseEndpoint(endpoint: string = defaultEndpoint): CollectorAddress {
  const url = addScheme(endpoint)
  const scheme = readScheme(url)
  const text = url.slice(scheme.length + 3)
  if (scheme === 'unix') return { path: text }
  if (scheme === 'unix-abstract') return { path: `\0${text}` }
  // A URL with three slashes has the address in its path. Otherwise, its authority would be the name of a DNS server.
  const address = text.startsWith('/') ? text.slice(1) : text.slice(text.indexOf('/') + 1)
  const port = /:([0-9]+)$/.exec(address)?.[1]
  const host = port === undefined ? address : address.slice(0, -port.length - 1)
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? defaultPort : Number(port) }
}
