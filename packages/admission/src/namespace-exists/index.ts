import type { Namespace } from '@keelson/api/core/v1'
import { runAfter, getErrorMessage, newInternal, newNotFound } from '@keelson/apimachinery'
import type { AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObjectLenient } from '../find-object.ts'

const namespaces = { group: '', resource: 'namespaces' }

/** Creates the plugin NamespaceExists. It rejects writes into namespaces that do not exist. NamespaceLifecycle does the same and more. */
export function createNamespaceExistsPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    validate({ kind, namespace: name }) {
      if (name === '' || (kind.group === '' && kind.kind === 'Namespace')) return
      if (dependencies.client.resource(namespaces) === undefined) return
      const found = findObjectLenient<Namespace>(dependencies, namespaces, { name })
      const checked = found instanceof Promise ? found.catch(failInternally) : found
      return runAfter(checked, (namespace) => {
        if (namespace === undefined) throw newNotFound(namespaces, name)
      })
    },
  }
}

function failInternally(error: unknown): never {
  throw newInternal(getErrorMessage(error), { cause: error })
}
