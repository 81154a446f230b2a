import { appsV1 } from '@keelson/api/apps/v1'
import type { Deployment, DeploymentSpec, DeploymentStrategy } from '@keelson/api/apps/v1'
import { fieldError, newFieldPath, validateNonNegative } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '@keelson/resources-core'
import { validateCollisions, validateCounts, validateShares } from '../../workloads/status-counts.ts'
import { validateImmutableSelector } from '../../workloads/immutable-selector.ts'
import { isZero, validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts'
import { validateReplicated } from '../replicated.ts'
import { readRollbackRevision } from './rollback-annotation.ts'

type ReadonlyDeployment = DeepReadonly<Deployment>
type ReadonlySpec = DeepReadonly<DeploymentSpec>

const specPath = newFieldPath('spec')
const statusPath = newFieldPath('status')
const emptySpec: ReadonlySpec = { selector: null, template: {} }

export function validateDeployment(deployment: ReadonlyDeployment, old?: ReadonlyDeployment): FieldErrorList {
  const { spec = emptySpec } = deployment
  const { minReadySeconds = 0, revisionHistoryLimit, progressDeadlineSeconds: deadline } = spec
  const errors = [
    ...validateNonNegative(spec.replicas ?? 0, specPath.child('replicas')),
    ...validateReplicated(spec, specPath, old?.spec?.template),
    ...validateStrategy(spec.strategy ?? {}, specPath.child('strategy')),
    ...validateCounts({ minReadySeconds, revisionHistoryLimit }, specPath),
    ...validateCounts({ version: readRollbackRevision(deployment) }, specPath.child('rollback')),
    ...validateCounts({ progressDeadlineSeconds: deadline }, specPath),
  ]
  if (deadline !== undefined && deadline <= minReadySeconds) {
    errors.push(fieldError.invalid(specPath.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'))
  }
  return errors
}

export function validateDeploymentUpdate(deployment: ReadonlyDeployment, old: ReadonlyDeployment): FieldErrorList {
  return [
    ...validateDeployment(deployment, old),
    ...validateImmutableSelector(deployment.spec?.selector, old.spec?.selector, specPath.child('selector')),
  ]
}

function validateStrategy(strategy: DeepReadonly<DeploymentStrategy>, path: FieldPath): FieldErrorList {
  const at = path.child('rollingUpdate')
  const { rollingUpdate } = strategy
  switch (strategy.type) {
    case 'Recreate':
      return rollingUpdate === undefined ? [] : [fieldError.forbidden(at, "may not be specified when strategy `type` is 'Recreate'")]
    case 'RollingUpdate': {
      if (rollingUpdate === undefined) return [fieldError.required(at, 'this should be defaulted and never be nil')]
      const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
      const unavailablePath = at.child('maxUnavailable')
      const cannotProgress = isZero(maxUnavailable) && isZero(maxSurge)
      return [
        ...validateIntOrPercent(maxUnavailable, unavailablePath),
        ...validateIntOrPercent(maxSurge, at.child('maxSurge')),
        ...(cannotProgress ? [fieldError.invalid(unavailablePath, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
        ...validateAtMostAll(maxUnavailable, unavailablePath),
      ]
    }
    default:
      return [
        fieldError.notSupported(path, toInternalStruct(appsV1.table.resolve('DeploymentStrategy'), strategy), [
          'Recreate',
          'RollingUpdate',
        ]),
      ]
  }
}

export function validateDeploymentStatus({ status = {} }: ReadonlyDeployment, old: ReadonlyDeployment): FieldErrorList {
  const { replicas = 0, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas } = status
  const { observedGeneration, terminatingReplicas, collisionCount } = status
  const counts = { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas }
  return [
    ...validateCounts({ ...counts, terminatingReplicas, collisionCount }, statusPath),
    ...validateShares(counts, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], { path: statusPath }),
    ...validateCollisions(collisionCount, old.status?.collisionCount, statusPath),
  ]
}
