import type { PodOS, Volume } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateDNSLabel, validateRequired, validateRequiredOneOf } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import { validateEnv, validateEnvFrom } from './validate-env.ts'
import { validatePullPolicy } from './validate-images.ts'
import { validateVolumeDevices, validateVolumeMounts } from './validate-mounts.ts'
import { validateContainerPorts } from './validate-ports.ts'
import { validateContainerResources } from './validate-resources.ts'
import { validateResizePolicy } from './validate-restart-policy.ts'
import { validateSecurityContext } from './validate-security-context.ts'
import type { ReadonlyContainer } from './visit-containers.ts'

/** Values of a pod that the validation of its containers needs. */
export interface ContainerContext {
  readonly rules: PodRules
  readonly volumes: ReadonlyMap<string, DeepReadonly<Volume>>
  readonly claims: ReadonlySet<string>
  readonly gracePeriod: number | undefined
  readonly os: DeepReadonly<PodOS> | undefined
  readonly restartPolicy: string | undefined
  readonly hostUsers: boolean
}

const terminationMessagePolicies = ['File', 'FallbackToLogsOnError']

/** Validates a container by the rules that init, regular and ephemeral containers share. */
export function validateContainer(container: ReadonlyContainer, context: ContainerContext, path: FieldPath): FieldErrorList {
  const { name = '' } = container
  return [
    ...(name === '' ? [fieldError.required(path.child('name'))] : validateDNSLabel(name, path, 'name')),
    ...validateRequired(container.image, path, 'image'),
    ...validateRequiredOneOf(container.terminationMessagePolicy, terminationMessagePolicies, path, 'terminationMessagePolicy'),
    ...validateContainerPorts(container, path),
    ...validateEnv(container, path),
    ...validateEnvFrom(container, path),
    ...validateVolumeMounts(container, context.volumes, path),
    ...validateVolumeDevices(container, context.volumes, path),
    ...validatePullPolicy(container.imagePullPolicy, path, 'imagePullPolicy'),
    ...validateContainerResources(container.resources ?? {}, context, path.child('resources')),
    ...validateResizePolicy(container, context.restartPolicy, path),
    ...validateSecurityContext(container, context.hostUsers, path),
  ]
}
