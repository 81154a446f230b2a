import type { CborCodec } from '@keelson/http-installer'
import { tlsSettings } from '@keelson/server'
import type { TlsSettings, ZPages } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

/** How requests are taken and answered. */
export interface Serving {
  readonly tls: TlsSettings
  readonly cbor: CborCodec | undefined
  readonly zpages: ZPages
}

/** Throws `ConfigurationError`. What only few servers need is loaded here. */
export async function buildServing(options: ServerChainOptions): Promise<Serving> {
  const tls = tlsOf(options)
  const gates = await gatesOf(options)
  const { flags } = options
  return {
    tls,
    cbor: gates?.enabled('CBORServingAndStorage') === true ? await import('@keelson/apimachinery/cbor') : undefined,
    zpages: {
      statusz: gates?.enabled('ComponentStatusz') !== false,
      flagz: flags === undefined || gates?.enabled('ComponentFlagz') === false ? undefined : () => flags,
    },
  }
}

function tlsOf({ tlsMinVersion, tlsCipherSuites, http2 = true }: ServerChainOptions): TlsSettings {
  try {
    return tlsSettings({ minVersion: tlsMinVersion, cipherSuites: tlsCipherSuites, http2 })
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}

/** Undefined: all are as they are by themselves. */
async function gatesOf({ featureGates = {}, log = () => {} }: ServerChainOptions): Promise<FeatureGates | undefined> {
  if (Object.keys(featureGates).length === 0) return undefined
  const { readFeatureGates } = await import('./feature-gates.ts')
  return readFeatureGates(featureGates, (text) => log(0, text))
}
