import type { ResourceDefinition } from '@keelson/registry'
import { configMaps } from './configmaps/index.ts'
import { endpoints } from './endpoints/index.ts'
import { events } from './events/index.ts'
import { limitRanges } from './limitranges/index.ts'
import { namespaces } from './namespaces/index.ts'
import { nodes } from './nodes/index.ts'
import { persistentVolumeClaims } from './persistentvolumeclaims/index.ts'
import { persistentVolumes } from './persistentvolumes/index.ts'
import { pods } from './pods/index.ts'
import { podTemplates } from './podtemplates/index.ts'
import { replicationControllers } from './replicationcontrollers/index.ts'
import { resourceQuotas } from './resourcequotas/index.ts'
import { secrets } from './secrets/index.ts'
import { serviceAccounts } from './serviceaccounts/index.ts'
import { services } from './services/index.ts'

/** Every resource of core/v1. Adding one is a folder, a line here, and its kind in register-core.ts. */
export const coreResources: readonly ResourceDefinition[] = [
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podTemplates,
  pods,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
].map(erase)

/** Erases the object type. Users of the list pass each definition only objects of its own kind. */
function erase(definition: unknown): ResourceDefinition {
  return definition as ResourceDefinition
}
