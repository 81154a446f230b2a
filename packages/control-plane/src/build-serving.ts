import type { CborCodec } from '@keelson/exchange'
import { createTlsSettings } from '@keelson/server'
import type { TlsSettings, ZPages } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import { readFeatureGates } from './feature-gates.ts'
import type { FeatureGates } from './feature-gates.ts'
import { servingDefaults } from './options/serving.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

/** Options of the HTTP server after validation. */
export interface Serving {
  readonly tls: TlsSettings
  readonly cbor: CborCodec | undefined
  readonly zpages: ZPages
  readonly features: FeatureGates
}

/** Validates the serving options. Loads rarely used code only if an option needs it. Throws `ConfigurationError`. */
export async function buildServing(options: ServerChainOptions): Promise<Serving> {
  const tls = buildTlsSettings(options)
  const { diagnostics: { flags } = {}, log = () => {} } = options
  const features = readFeatureGates(options.features?.gates ?? {}, (text) => log(0, text))
  return {
    tls,
    cbor: features.isEnabled('CBORServingAndStorage') ? await import('@keelson/apimachinery/cbor') : undefined,
    zpages: {
      statusz: features.isEnabled('ComponentStatusz'),
      flagz: flags === undefined || !features.isEnabled('ComponentFlagz') ? undefined : () => flags,
    },
    features,
  }
}

export function buildTlsSettings({ serving }: ServerChainOptions): TlsSettings {
  const { tlsMinVersion, tlsCipherSuites, http2 } = { ...servingDefaults, ...serving }
  try {
    return createTlsSettings({ minVersion: tlsMinVersion, cipherSuites: tlsCipherSuites, http2 })
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}
