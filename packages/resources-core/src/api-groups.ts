import { authenticationV1 } from '@keelson/api/authentication/v1'
import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import { coreV1 } from '@keelson/api/core/v1'
import { eventsV1 } from '@keelson/api/events/v1'
import { policyV1beta1 } from '@keelson/api/policy/v1beta1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { registerCore } from './register-core.ts'
import { coreResources } from './resources.ts'

/** The core group, including the kinds of other groups that its subresources accept: tokens, scales and evictions. */
const core: ApiGroup = {
  name: '',
  priority: 18000,
  types: [coreV1, authenticationV1, autoscalingV1, policyV1beta1],
  resources: coreResources,
  register: registerCore,
}

/** Nothing of its own: core's events under another name, which core registers with them. */
const events: ApiGroup = defineApiGroup({ name: 'events.k8s.io', priority: 17750, types: [eventsV1], retiredVersions: ['v1beta1'], resources: [] })

export const coreGroups: readonly ApiGroup[] = [core, events]
