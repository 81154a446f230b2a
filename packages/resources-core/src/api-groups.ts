import { authenticationV1 } from '@keelson/api/authentication/v1'
import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import { coreV1 } from '@keelson/api/core/v1'
import { eventsV1 } from '@keelson/api/events/v1'
import { policyV1 } from '@keelson/api/policy/v1'
import { policyV1beta1 } from '@keelson/api/policy/v1beta1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { componentStatusKind } from './componentstatuses/index.ts'
import { configMaps } from './configmaps/index.ts'
import { endpoints } from './endpoints/index.ts'
import { events } from './events/index.ts'
import { limitRanges } from './limitranges/index.ts'
import { namespaces } from './namespaces/index.ts'
import { nodes } from './nodes/index.ts'
import { persistentVolumeClaims } from './persistentvolumeclaims/index.ts'
import { persistentVolumes } from './persistentvolumes/index.ts'
import { pods } from './pods/index.ts'
import { bindingKind } from './pods/subresources/binding.ts'
import { podTemplates } from './podtemplates/index.ts'
import { replicationControllers } from './replicationcontrollers/index.ts'
import { resourceQuotas } from './resourcequotas/index.ts'
import { secrets } from './secrets/index.ts'
import { serviceAccounts } from './serviceaccounts/index.ts'
import { tokenRequestKind } from './serviceaccounts/token-subresource.ts'
import { setTokenRequestDefaults } from './serviceaccounts/validate-token-request.ts'
import { services } from './services/index.ts'

/**
 * The core API group. It registers types of other groups too, because its subresources use them. To add a resource, add a folder and a line
 * in this file.
 */
export const core: ApiGroup = defineApiGroup({
  name: '',
  priority: 18000,
  types: [coreV1, authenticationV1, autoscalingV1, policyV1, policyV1beta1],
  resources: [
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
  ],
  bodies: [bindingKind, componentStatusKind, { ...tokenRequestKind, setDefaults: setTokenRequestDefaults }],
})

/** The API group events.k8s.io. It serves the events of the core group under a second name and has no other resources. */
const eventsGroup: ApiGroup = defineApiGroup({
  name: 'events.k8s.io',
  priority: 17750,
  types: [eventsV1],
  retiredVersions: ['v1beta1'],
  resources: [],
})

export const coreGroups: readonly ApiGroup[] = [core, eventsGroup]
