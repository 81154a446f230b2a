import { networkingV1 } from '@keelson/api/networking/v1'
import { networkingV1beta1 } from '@keelson/api/networking/v1beta1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { ingressClasses } from './ingressclasses/index.ts'
import { ingresses } from './ingresses/index.ts'
import { ipAddresses } from './ipaddresses/index.ts'
import { networkPolicies } from './networkpolicies/index.ts'
import { serviceCIDRs } from './servicecidrs/index.ts'

export const networking: ApiGroup = defineApiGroup({
  name: 'networking.k8s.io',
  priority: 17200,
  types: [networkingV1, networkingV1beta1],
  resources: [ingressClasses, ingresses, ipAddresses, networkPolicies, serviceCIDRs],
})
