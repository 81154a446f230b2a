import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import {
  createEgressMetrics,
  createEgressSelector,
  directEgress,
  findEgressConfigurationError,
  readEgressConfiguration,
} from '@keelson/outbound'
import type { EgressSelector } from '@keelson/outbound'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

/** Builds the egress selector. Throws `ConfigurationError` with kube-apiserver's words if the file is invalid. */
export async function buildEgress({ egress: { configFile } = {} }: ServerChainOptions, metrics: MetricsRegistry): Promise<EgressSelector> {
  if (configFile === undefined) return directEgress
  const configuration = await wrapError('failed to read egress selector config', () => readEgressConfiguration(configFile))
  const problem = findEgressConfigurationError(configuration)
  if (problem !== undefined) throw new ConfigurationError(`failed to validate egress selector configuration: ${problem}`)
  return wrapError('failed to setup egress selector', () => createEgressSelector(configuration, { metrics: createEgressMetrics(metrics) }))
}

async function wrapError<T>(failed: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw new ConfigurationError(`${failed}: ${(error as Error).message}`, { cause: error })
  }
}
