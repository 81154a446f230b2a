import { readFile } from 'node:fs/promises'
import { decodeConfiguration, defineConfigurationStruct, defineListOfStructs } from '@keelson/apimachinery/configuration'
import { formatOpenError } from '../open-error.ts'

/** Files of the TLS connection to a proxy. */
export interface ProxyTls {
  readonly caBundle?: string
  readonly clientKey?: string
  readonly clientCert?: string
  /** Expected name in the proxy's certificate. Default: the host of the URL. */
  readonly tlsServerName?: string
}

/** Address of a proxy: a URL or a Unix socket. */
export interface ProxyTransport {
  readonly tcp?: { readonly url?: string; readonly tlsConfig?: ProxyTls }
  readonly uds?: { readonly udsName?: string }
}

/** Connection settings of one network. */
export interface EgressSelection {
  /** Name of the network: `controlplane`, `etcd` or `cluster`. */
  readonly name: string
  readonly connection: { readonly proxyProtocol: string; readonly transport?: ProxyTransport }
}

/** The content of `--egress-selector-config-file`. */
export interface EgressConfiguration {
  readonly egressSelections: readonly EgressSelection[]
}

const apiVersions = ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1']

const schema = defineConfigurationStruct('EgressSelectorConfiguration', {
  egressSelections: defineListOfStructs(
    defineConfigurationStruct('EgressSelection', {
      name: 'string',
      connection: defineConfigurationStruct('Connection', {
        proxyProtocol: 'string',
        transport: defineConfigurationStruct('Transport', {
          tcp: defineConfigurationStruct('TCPTransport', {
            url: 'string',
            tlsConfig: defineConfigurationStruct('TLSConfig', {
              caBundle: 'string',
              clientKey: 'string',
              clientCert: 'string',
              tlsServerName: 'string',
            }),
          }),
          uds: defineConfigurationStruct('UDSTransport', { udsName: 'string' }),
        }),
      }),
    }),
  ),
})

interface FileConfiguration {
  readonly egressSelections?: readonly {
    readonly name?: string
    readonly connection?: { readonly proxyProtocol?: string; readonly transport?: ProxyTransport }
  }[]
}

/** Decodes an EgressSelectorConfiguration strictly. Throws an error with kube-apiserver's message. */
export function parseEgressConfiguration(text: string): EgressConfiguration {
  const file: FileConfiguration = decodeConfiguration(text, { schema, apiVersions })
  return {
    egressSelections: (file.egressSelections ?? []).map(({ name = '', connection: { proxyProtocol = '', transport } = {} }) => ({
      // "master" is the deprecated name of the control plane.
      name: name === 'master' ? 'controlplane' : name,
      connection: { proxyProtocol, ...(transport !== undefined && { transport }) },
    })),
  }
}

/** Reads an EgressSelectorConfiguration. Rejects with kube-apiserver's message. */
export async function readEgressConfiguration(file: string): Promise<EgressConfiguration> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`unable to read egress selector configuration from ${JSON.stringify(file)} [${formatOpenError(file, error)}]`, {
      cause: error,
    })
  }
  return parseEgressConfiguration(text)
}
