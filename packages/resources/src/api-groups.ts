import type { ApiGroup } from '@keelson/registry'
import { admissionregistration } from './admissionregistration/index.ts'
import type { PolicyServices } from './admissionregistration/index.ts'
import { apps } from './apps/index.ts'
import { authentication } from './authentication/index.ts'
import type { AuthenticationServices } from './authentication/index.ts'
import { authorization } from './authorization/index.ts'
import type { AuthorizationServices } from './authorization/index.ts'
import { autoscaling } from './autoscaling/index.ts'
import { batch } from './batch/index.ts'
import { certificates } from './certificates/index.ts'
import { coordination } from './coordination/index.ts'
import { discovery } from './discovery/index.ts'
import { flowcontrol } from './flowcontrol/index.ts'
import { networking } from './networking/index.ts'
import { node } from './node/index.ts'
import { policy } from './policy/index.ts'
import type { RoleServices } from './rbac/escalation.ts'
import { rbac } from './rbac/index.ts'
import { resource } from './resource/index.ts'
import type { ClaimServices } from './resource/claim-rules.ts'
import { scheduling } from './scheduling/index.ts'
import { storage } from './storage/index.ts'

/** Services of the server that the groups use. */
export interface ResourceServices extends AuthenticationServices, AuthorizationServices, ClaimServices, PolicyServices, RoleServices {}

/**
 * All built-in API groups except core. To add a group, create its folder and add a line here. To add a resource, create its folder and list
 * it in the index of its group.
 */
export const apiGroups: readonly ApiGroup<ResourceServices>[] = [
  admissionregistration,
  apps,
  authentication,
  authorization,
  autoscaling,
  batch,
  certificates,
  coordination,
  discovery,
  flowcontrol,
  networking,
  node,
  policy,
  rbac,
  resource,
  scheduling,
  storage,
]
