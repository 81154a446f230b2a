import type { Namespace } from '@keelson/api/core/v1'
import { isApiError, getErrorMessage } from '@keelson/apimachinery'
import type { LoopbackResource } from '@keelson/loopback'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'

const namespaces = { group: '', resource: 'namespaces' }

/** Creates the plugin NamespaceAutoProvision. It creates the namespace of a new object if it does not exist. Dry runs create nothing. */
export function createNamespaceAutoProvisionPlugin({ client, informers }: PluginDependencies): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    operations: ['CREATE'],
    admit(attributes) {
      const { dryRun, kind, namespace } = attributes
      if (dryRun || namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return
      const served = client.resource<Namespace>(namespaces)
      if (served === undefined || informers.of<Namespace>(namespaces)?.get('', namespace) !== undefined) return
      return create(served, attributes)
    },
  }
}

async function create(served: LoopbackResource<Namespace>, attributes: AdmissionAttributes): Promise<void> {
  try {
    await served.create('', { metadata: { name: attributes.namespace } })
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw newForbiddenWrite(attributes, getErrorMessage(error))
  }
}
