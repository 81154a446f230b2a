import type { CborCodec } from '@keelson/http-installer'
import { tlsSettings } from '@keelson/server'
import type { TlsSettings } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

/** How requests are taken and answered. */
export interface Serving {
  readonly tls: TlsSettings
  readonly cbor: CborCodec | undefined
}

/** Throws `ConfigurationError`. What only few servers need is loaded here. */
export async function buildServing(options: ServerChainOptions): Promise<Serving> {
  return { tls: tlsOf(options), cbor: await cborOf(options) }
}

function tlsOf({ tlsMinVersion, tlsCipherSuites, http2 = true }: ServerChainOptions): TlsSettings {
  try {
    return tlsSettings({ minVersion: tlsMinVersion, cipherSuites: tlsCipherSuites, http2 })
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}

async function cborOf({ featureGates = {}, log = () => {} }: ServerChainOptions): Promise<CborCodec | undefined> {
  if (Object.keys(featureGates).length === 0) return undefined
  const { readFeatureGates } = await import('./feature-gates.ts')
  const gates = readFeatureGates(featureGates, (text) => log(0, text))
  return gates.enabled('CBORServingAndStorage') ? await import('@keelson/apimachinery/cbor') : undefined
}
