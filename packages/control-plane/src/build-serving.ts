import type { CborCodec } from '@keelson/exchange'
import { tlsSettings } from '@keelson/server'
import type { TlsSettings, ZPages } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import { readFeatureGates } from './feature-gates.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

/** How requests are taken and answered. */
export interface Serving {
  readonly tls: TlsSettings
  readonly cbor: CborCodec | undefined
  readonly zpages: ZPages
  readonly features: FeatureGates
}

/** Throws `ConfigurationError`. What only few servers need is loaded here. */
export async function buildServing(options: ServerChainOptions): Promise<Serving> {
  const tls = tlsOf(options)
  const { flags, featureGates = {}, log = () => {} } = options
  const features = readFeatureGates(featureGates, (text) => log(0, text))
  return {
    tls,
    cbor: features.enabled('CBORServingAndStorage') ? await import('@keelson/apimachinery/cbor') : undefined,
    zpages: {
      statusz: features.enabled('ComponentStatusz'),
      flagz: flags === undefined || !features.enabled('ComponentFlagz') ? undefined : () => flags,
    },
    features,
  }
}

export function tlsOf({ tlsMinVersion, tlsCipherSuites, http2 = true }: ServerChainOptions): TlsSettings {
  try {
    return tlsSettings({ minVersion: tlsMinVersion, cipherSuites: tlsCipherSuites, http2 })
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}
