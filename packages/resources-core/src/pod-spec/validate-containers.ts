import type { Container } from '@keelson/api/core/v1'
import { fieldError, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateItems } from './field-rules.ts'
import { validateContainer } from './validate-container.ts'
import type { ContainerContext } from './validate-container.ts'
import { validateLifecycle } from './validate-lifecycle.ts'
import { validateHostPorts } from './validate-ports.ts'
import { validateProbes } from './validate-probes.ts'
import { validateContainerRestartPolicy, validateInitRestartPolicy } from './validate-restart-policy.ts'
import { isSidecar } from './visit-containers.ts'

type Containers = readonly DeepReadonly<Container>[]

export function validateContainers(containers: Containers, context: ContainerContext, path: FieldPath): FieldErrorList {
  if (containers.length === 0) return [fieldError.required(path)]
  const isRepeated = repeatCheck<string>()
  const errors = validateItems(containers, path, (container, at) => {
    const { name = '' } = container
    const containerErrors = validateContainer(container, context, at)
    if (isRepeated(name)) containerErrors.push(fieldError.duplicate(at.child('name'), name))
    return [...containerErrors, ...validateHooksAndProbes(container, context, at), ...validateContainerRestartPolicy(container, at)]
  })
  return [...errors, ...validateHostPorts(containers, path)]
}

export interface InitContainerContext extends ContainerContext {
  /** Regular containers of the pod. Init containers must not have their names. */
  readonly containers: Containers
}

export function validateInitContainers(containers: Containers, context: InitContainerContext, path: FieldPath): FieldErrorList {
  const names = new Set(context.containers.map(({ name = '' }) => name))
  return validateItems(containers, path, (container, at) => {
    const { name = '' } = container
    const errors = [...validateContainer(container, context, at), ...validateInitRestartPolicy(container, at)]
    if (names.has(name)) errors.push(fieldError.duplicate(at.child('name'), name))
    else if (name !== '') names.add(name)
    // Init containers run one at a time, so their host ports can only conflict within one container.
    errors.push(...validateHostPorts([container], path))
    errors.push(...(isSidecar(container) ? validateHooksAndProbes(container, context, at) : forbidHooksAndProbes(container, at)))
    return [...errors, ...validateInitResize(container, context, at)]
  })
}

function validateHooksAndProbes(container: DeepReadonly<Container>, context: ContainerContext, path: FieldPath): FieldErrorList {
  const { lifecycle } = container
  const errors = lifecycle === undefined ? [] : validateLifecycle(lifecycle, context, path.child('lifecycle'))
  return [...errors, ...validateProbes(container, context.gracePeriod, path)]
}

function forbidHooksAndProbes(container: DeepReadonly<Container>, path: FieldPath): FieldErrorList {
  const members = (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const).filter(
    (member) => container[member] !== undefined,
  )
  return members.map((member) =>
    fieldError.forbidden(path.child(member), 'may not be set for init containers without restartPolicy=Always'),
  )
}

function validateInitResize(container: DeepReadonly<Container>, context: ContainerContext, path: FieldPath): FieldErrorList {
  if (isSidecar(container) || context.rules.allowInitRestartContainerResize) return []
  const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
  return (container.resizePolicy ?? []).flatMap(({ restartPolicy }, i) =>
    restartPolicy === 'RestartContainer'
      ? [fieldError.invalid(path.child('resizePolicy').index(i).child('restartPolicy'), restartPolicy, detail)]
      : [],
  )
}
