import { existsSync } from 'node:fs'
import { aggregateFieldErrors, fieldError, newFieldPath, createVerbatimValue } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import type { EgressConfiguration, EgressSelection, ProxyTls, ProxyTransport } from './egress-configuration.ts'

const path = newFieldPath('service', 'connection')
const networks = ['cluster', 'controlplane', 'etcd']

/** Returns the problems of a configuration as one message; undefined if there are none. The words and paths are kube-apiserver's. */
export function findEgressConfigurationError({ egressSelections }: EgressConfiguration): string | undefined {
  const errors = [...egressSelections.flatMap(validateConnection), ...validateNames(egressSelections)]
  return errors.length === 0 ? undefined : aggregateFieldErrors(errors)
}

function validateNames(selections: readonly EgressSelection[]): FieldErrorList {
  const visited = new Set<string>()
  return selections.flatMap((selection, i) => {
    const name = selection.name.toLowerCase()
    if (visited.has(name)) return [fieldError.duplicate(path.index(i), name)]
    visited.add(name)
    return networks.includes(name) ? [] : [fieldError.notSupported(path, name, networks)]
  })
}

function validateConnection({ connection: { proxyProtocol, transport } }: EgressSelection): FieldErrorList {
  switch (proxyProtocol) {
    case 'Direct':
      return transport === undefined
        ? []
        : [fieldError.invalid(path.child('transport'), 'direct', 'config must be absent for direct connect')]
    case 'HTTPConnect':
      if (transport === undefined) return [fieldError.required(path.child('transport'), 'transport must be set for HTTPConnect')]
      return validateHttpConnect(transport)
    case 'GRPC':
      if (transport === undefined) return [fieldError.required(path.child('transport'), 'transport must be set for GRPC')]
      if (transport.uds === undefined) return [fieldError.required(path.child('uds'), 'UDS must be set with GRPC')]
      return validateSocket(transport.uds)
    default:
      return [fieldError.notSupported(path.child('protocol'), proxyProtocol, ['Direct', 'HTTPConnect', 'GRPC'])]
  }
}

function validateHttpConnect({ tcp, uds }: ProxyTransport): FieldErrorList {
  if (tcp !== undefined && uds !== undefined) {
    const value = createVerbatimValue(formatTcpTransport(tcp))
    return [fieldError.invalid(path.child('tcp'), value, 'TCP and UDS cannot both be set')]
  }
  if (tcp !== undefined) return validateTcp(tcp)
  return uds === undefined ? [fieldError.required(path.child('tcp'), 'One of TCP or UDS must be set')] : validateSocket(uds)
}

/** Formats the transport with the names of the Go type, as it appears in kube-apiserver's message. */
function formatTcpTransport({ url = '', tlsConfig }: NonNullable<ProxyTransport['tcp']>): string {
  const { caBundle = '', clientKey = '', clientCert = '', tlsServerName = '' } = tlsConfig ?? {}
  const tls = { CABundle: caBundle, ClientKey: clientKey, ClientCert: clientCert, TLSServerName: tlsServerName }
  return JSON.stringify({ URL: url, TLSConfig: tlsConfig === undefined ? null : tls })
}

function validateSocket({ udsName = '' }: NonNullable<ProxyTransport['uds']>): FieldErrorList {
  return udsName === '' ? [fieldError.invalid(path.child('udsName'), 'nil', 'must be present for UDS connections')] : []
}

function validateTcp({ url = '', tlsConfig }: NonNullable<ProxyTransport['tcp']>): FieldErrorList {
  if (url.startsWith('https://')) return validateTls(tlsConfig)
  if (!url.startsWith('http://'))
    return [fieldError.invalid(path.child('url'), url, 'supported connection protocols are http:// and https://')]
  return tlsConfig === undefined ? [] : [fieldError.invalid(path.child('tlsConfig'), 'nil', 'config must not be present when using HTTP')]
}

function validateTls(tls: ProxyTls | undefined): FieldErrorList {
  if (tls === undefined) return [fieldError.required(path.child('tlsConfig'), 'TLSConfig must be present when using HTTPS')]
  const { caBundle = '', clientCert = '', clientKey = '' } = tls
  const buildPath = (name: string) => path.child('tlsConfig', name)
  const errors =
    caBundle === '' || existsSync(caBundle)
      ? []
      : [fieldError.invalid(buildPath('caBundle'), caBundle, 'TLS config ca bundle does not exist')]
  if (clientCert === '') errors.push(fieldError.invalid(buildPath('clientCert'), 'nil', 'Using TLS requires clientCert'))
  else if (!existsSync(clientCert)) errors.push(fieldError.invalid(buildPath('clientCert'), clientCert, 'TLS client cert does not exist'))
  if (clientKey === '') errors.push(fieldError.invalid(buildPath('clientKey'), 'nil', 'Using TLS requires requires clientKey'))
  else if (!existsSync(clientKey)) errors.push(fieldError.invalid(buildPath('clientKey'), clientKey, 'TLS client key does not exist'))
  return errors
}
