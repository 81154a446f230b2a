import { AdmissionPlugins } from './admission-plugins.ts'
import { namespaceLifecycle } from './namespace-lifecycle/index.ts'

/** The plugins of this package. More can be registered on what is returned. */
export function builtinPlugins(): AdmissionPlugins {
  const plugins = new AdmissionPlugins()
  plugins.register('NamespaceLifecycle', namespaceLifecycle)
  return plugins
}
