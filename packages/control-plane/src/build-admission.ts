import {
  createBuiltinPlugins,
  createAdmissionChain,
  createAdmissionMetrics,
  createModulePlugin,
  readAdmissionConfiguration,
} from '@keelson/admission'
import type { AdmissionChain, AdmissionPlugins, PluginDependencies, PluginSelection } from '@keelson/admission'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { describeError } from '@keelson/server'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface SelectedPlugins {
  readonly plugins: AdmissionPlugins
  readonly selection: PluginSelection
}

/**
 * Selects the enabled admission plugins and reads their configuration. Throws `ConfigurationError` if a name or the configuration is
 * invalid.
 */
export async function selectAdmissionPlugins({ admission = {}, log }: ServerChainOptions): Promise<SelectedPlugins> {
  const { enable = [], disable = [], configFile, defaultTolerationSeconds, plugins: customPlugins = {}, modules = [] } = admission
  const plugins = createBuiltinPlugins(defaultTolerationSeconds === undefined ? {} : { defaultTolerationSeconds })
  try {
    for (const [name, factory] of Object.entries(customPlugins)) plugins.register(name, factory)
    for (const module of modules) {
      const onError = (error: unknown): void => log?.(0, 'Admission module failed', { module: module.name, err: describeError(error) })
      plugins.register(module.name, () => createModulePlugin(module, { onError }), module)
    }
    const problems = plugins.problems({ enable, disable })
    if (problems.length > 0) throw new ConfigurationError(problems)
    const configuration = configFile === undefined ? undefined : await readAdmissionConfiguration(configFile)
    return { plugins, selection: { enable, disable, ...(configuration === undefined ? {} : { configuration }) } }
  } catch (error) {
    throw toConfigurationError(error)
  }
}

/** Creates the selected admission plugins. Throws `ConfigurationError` if a plugin rejects its configuration. */
export async function buildAdmission(
  { plugins, selection }: SelectedPlugins,
  dependencies: Pick<PluginDependencies, 'client' | 'informers' | 'scheme' | 'authorizer' | 'dialer'> & { readonly clock: Clock },
  metrics: MetricsRegistry,
): Promise<AdmissionChain & AsyncDisposable> {
  try {
    const created = await plugins.create({ ...dependencies, metrics }, selection)
    return createAdmissionChain(created, { metrics: createAdmissionMetrics(metrics) })
  } catch (error) {
    throw toConfigurationError(error)
  }
}

function toConfigurationError(error: unknown): unknown {
  if ((error as Error).name !== 'AdmissionConfigurationError') return error
  return new ConfigurationError((error as Error).message, { cause: error })
}
